import { Injectable } from '@nestjs/common';

import type { PaidBody } from '#money/billing/calls/paid-body';
import { type PreparedCall, Preparer } from '#money/billing/calls/preparer';
import { type ImageCopies, NO_IMAGES } from '#models/conversation/sent-body';
import { AppError } from '#kernel/app-error';
import { deadlineIn } from '#kernel/deadline';
import { ProviderUnavailable } from '#models/providers/providers.errors';
import { isLongText } from '#models/providers/policy/screening-slices';
import { CompletionsScreening } from './completions-screening';
import { conversationOf } from '../compatible/conversation.pricer';
import { ConversationImages } from './conversation-images';

const SECONDS_MAX = 60;

/** Screens a conversation and takes in its images, before any money is held. */
@Injectable()
export class CompletionsPreparer extends Preparer<PaidBody, ImageCopies> {
  constructor(
    private readonly screening: CompletionsScreening,
    private readonly images: ConversationImages,
  ) {
    super();
  }

  override isCostly(call: PreparedCall<PaidBody>): boolean {
    const { conversation, worst } = conversationOf(call);
    return this.screening.isCostly || conversation.images.length > 0 || isLongText(worst.inputMax);
  }

  async prepare(call: PreparedCall<PaidBody>, local: boolean): Promise<ImageCopies> {
    const { conversation, model } = conversationOf(call);
    const time = deadlineIn(SECONDS_MAX);
    try {
      if (!local || !this.screening.isCostly) await this.screening.screen(model, conversation, time);
      if (local || conversation.images.length === 0) return NO_IMAGES;
      const from = { request: call.request, owner: call.payer!.id, model };
      return await this.images.take(from, conversation, time);
    } catch (error) {
      throw error instanceof AppError || !time.aborted ? error : new ProviderUnavailable(error);
    }
  }
}
