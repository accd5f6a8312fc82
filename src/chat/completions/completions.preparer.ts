import { Injectable } from '@nestjs/common';

import type { PaidBody } from '../../billing/calls/paid-body';
import { type PreparedCall, Preparer } from '../../billing/calls/preparer';
import { AppError } from '../../kernel/app-error';
import { deadlineIn } from '../../kernel/deadline';
import { ProviderUnavailable } from '../../providers/providers.errors';
import type { ConversationRequest } from '../../providers/text-provider';
import { isLongText } from '../../providers/policy/screening-slices';
import { CompletionsScreening } from './completions-screening';
import { conversationOf } from './completions.pricer';
import { ConversationImages } from './conversation-images';
import { forwarded } from './forwarded';

const SECONDS_MAX = 60;

type Sent = ConversationRequest['body'];

/** Screens a conversation and takes in its images, before any money is held. */
@Injectable()
export class CompletionsPreparer extends Preparer<PaidBody, Sent> {
  constructor(
    private readonly screening: CompletionsScreening,
    private readonly images: ConversationImages,
  ) {
    super();
  }

  override isCostly(call: PreparedCall<PaidBody>): boolean {
    const { images, worst } = conversationOf(call);
    return this.screening.isCostly || images.length > 0 || isLongText(worst.inputMax);
  }

  async prepare(call: PreparedCall<PaidBody>, local: boolean): Promise<Sent> {
    const { asked, model, nameOf, words, images } = conversationOf(call);
    const time = deadlineIn(SECONDS_MAX);
    try {
      if (!local || !this.screening.isCostly) await this.screening.screen(model, words, nameOf, time);
      if (local || images.length === 0) return words;
      const from = { request: call.request, owner: call.payer!.id, model };
      const copies = await this.images.take(from, images, nameOf, time);
      return forwarded(asked, copies);
    } catch (error) {
      throw error instanceof AppError || !time.aborted ? error : new ProviderUnavailable(error);
    }
  }
}
