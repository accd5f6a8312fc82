import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { Payers } from '#money/billing/rails/payers';
import { Rails } from '#money/billing/rails/rails';
import { Catalog } from '#models/catalog/catalog';
import type { TextModel } from '#models/catalog/catalog-models';
import type { Conversation } from '#models/conversation/conversation';
import { NO_IMAGES } from '#models/conversation/sent-body';
import { AppError } from '#kernel/app-error';
import { newId } from '#kernel/ids';
import { deadlineIn } from '#kernel/deadline';
import { Providers } from '#models/providers/providers';
import { BY_USE } from '../compatible/compatible-route';
import { refuseTooMany } from '../completions/conversation-images';
import { worstCase } from '../completions/worst-case';

const SECONDS_MAX = 10;

/** Counts the input tokens of a conversation, free. */
@Injectable()
export class TokenCounter {
  constructor(
    private readonly catalog: Catalog,
    private readonly providers: Providers,
    private readonly rails: Rails,
    private readonly payers: Payers,
  ) {}

  /**
   * The vendor counts for a caller whose credential is valid, if the vendor can count. Everyone else gets our estimate.
   * A header of the answer says which count it is.
   */
  async count(conversation: Conversation, request: FastifyRequest, reply: FastifyReply): Promise<number> {
    const model = this.catalog.textModel(conversation.model);
    this.catalog.requireSale(model.id);
    if (model.refusal !== undefined) throw model.refusal;
    refuseTooMany(conversation);
    const { input } = worstCase(model, conversation, 1);
    const exact = (await this.isProven(model, request)) ? await this.exact(model, conversation) : undefined;
    void reply.header('X-Token-Count', exact === undefined ? 'estimate' : 'exact');
    return exact ?? input;
  }

  private async isProven(model: TextModel, request: FastifyRequest): Promise<boolean> {
    const rail = this.rails.prepaidClaiming(request);
    if (rail === undefined) return false;
    try {
      const payer = await this.payers.provenIn(rail, request);
      this.payers.check(payer, request, { route: BY_USE.scope, modelId: model.id });
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  /** The vendor's count has no part in the work, so its failure is no failure of the call. */
  private async exact(model: TextModel, conversation: Conversation): Promise<number | undefined> {
    const [route] = model.routes;
    const provider = route && this.providers.text(route.provider);
    if (route === undefined || conversation.images.length > 0) return undefined;
    const request = {
      model: route.model,
      maxTokens: 1,
      ourId: newId('count'),
      conversation,
      copies: NO_IMAGES,
    };
    try {
      return await provider?.count?.(request, deadlineIn(SECONDS_MAX));
    } catch {
      return undefined;
    }
  }
}
