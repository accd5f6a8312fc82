import { Injectable } from '@nestjs/common';

import { type PreparedCall, Preparer } from '../../billing/calls/preparer';
import { AppError } from '../../kernel/app-error';
import { deadlineIn } from '../../kernel/deadline';
import { ProviderUnavailable } from '../../providers/providers.errors';
import type { ConversationRequest } from '../../providers/text-provider';
import { isLongText } from '../../providers/policy/screening-slices';
import { CompletionsScreening } from './completions-screening';
import type { CompletionBody } from './completions.dto';
import { conversationOf } from './completions.pricer';
import { ConversationImages } from './conversation-images';
import { forwarded } from './forwarded';

const SECONDS_MAX = 60;

type Sent = ConversationRequest['body'];

/** Screens a conversation and takes in its images, before any money is held. */
@Injectable()
export class CompletionsPreparer extends Preparer<CompletionBody, Sent> {
  constructor(
    private readonly screening: CompletionsScreening,
    private readonly images: ConversationImages,
  ) {
    super();
  }

  override isDear(call: PreparedCall<CompletionBody>): boolean {
    const { images, worst } = conversationOf(call);
    return this.screening.isDear || images.length > 0 || isLongText(worst.inputMax);
  }

  async prepare(call: PreparedCall<CompletionBody>, local: boolean): Promise<Sent> {
    const { words, images } = conversationOf(call);
    const time = deadlineIn(SECONDS_MAX);
    try {
      if (!local || !this.screening.isDear) await this.screening.screen(words, time);
      if (local || images.length === 0) return words;
      return forwarded(call.body, await this.images.take(call.request, call.payer!.id, images, time));
    } catch (error) {
      throw error instanceof AppError || !time.aborted ? error : new ProviderUnavailable(error);
    }
  }
}
