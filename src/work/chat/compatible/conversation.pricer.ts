import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import type { PaidBody } from '#money/billing/calls/paid-body';
import type { PaidCall } from '#money/billing/calls/paid-call';
import { Pricer } from '#money/billing/calls/pricer';
import { Catalog } from '#models/catalog/catalog';
import type { TextModel } from '#models/catalog/catalog-models';
import { ChatPriceCalculator } from '#models/catalog/chat-price-calculator';
import { CHAT_TOKENS_DEFAULT, CHAT_TOKENS_MAX } from '#models/catalog/chat-limits';
import type { PricedCall } from '#models/catalog/priced-call';
import type { Ratio } from '#models/catalog/prices.settings';
import { largestShare } from '#models/catalog/rates';
import type { TokenPrices } from '#models/providers/token-prices';
import type { Conversation } from '#models/conversation/conversation';
import { readCompletion } from '#models/conversation/completions-body';
import { readContent } from '#models/conversation/gemini-body';
import { withoutEffort } from '#models/conversation/effort';
import { readMessages } from '#models/conversation/messages-body';
import { readResponses } from '#models/conversation/responses-body';
import { ifPresent } from '#kernel/present';
import { type Micro, micro, smaller } from '#kernel/money';
import { lateCallOf } from '#platform/http/inner-calls';
import { batchDiscountOf } from './batch-discount';
import { refuseTooMany } from '../completions/conversation-images';
import { STEP_TOKENS } from '../completions/output-hold';
import { type WorstCase, worstCase } from '../completions/worst-case';
import { callInPath } from '../generate-content/model-in-path';

/** A conversation with its highest possible cost, and the values that its work needs. */
export interface PricedConversation extends PricedCall {
  readonly conversation: Conversation;
  readonly model: TextModel;
  /** The most tokens of the answer, for the hold and for the request to the vendor. */
  readonly maxTokens: number;
  readonly worst: WorstCase;
  /**
   * Converts a cost at the model's rates into a price. Accounts pay the cost. Wallets and channels also pay markup, and
   * at least the floor, unless the rates have their markup. A call of a batch has a discount.
   */
  readonly priceOf: (cost: Micro) => Micro;
  readonly forAccounts?: PricedConversation;
}

type PriceClass = 'accounts' | 'retail';
interface Base extends Pick<PricedConversation, 'conversation' | 'model' | 'maxTokens' | 'worst'> {
  /** The largest share of its price that a token costs. Only a call with a discount has it. */
  readonly share?: Ratio | undefined;
  /** The tokens of the answer that the hold begins with, for a payer who has little and states no limit. */
  readonly least: number;
  /** The tokens of the answer that the hold begins with. */
  readonly first: number;
  /** The tokens that a quote or an offer covers. Without a limit, these are the first ones. */
  readonly offered: number;
  readonly grows: boolean;
}

/**
 * The token limit. Agents send their model's own limit, so a high limit is lowered instead of refused. A call without
 * a limit may use the maximum that the catalog states. Without one it gets the usual 1024, because a larger hold would
 * refuse callers with little money whose calls were served before.
 */
const limitOf = ({ maxOutputTokens }: TextModel, wanted: number | undefined): number =>
  wanted === undefined
    ? (maxOutputTokens ?? CHAT_TOKENS_DEFAULT)
    : Math.min(wanted, maxOutputTokens ?? CHAT_TOKENS_MAX);

/** The known prices of the vendors. */
const pricesOf = ({ routes }: TextModel): readonly TokenPrices[] =>
  routes.flatMap(({ prices }) => prices ?? []);

/**
 * Prices the conversations of one API at their worst case. The charge at the end is only for the tokens that a
 * conversation used.
 */
@Injectable()
abstract class ConversationPricer extends Pricer<PaidBody> {
  override readonly namesIgnored = true;

  constructor(
    private readonly catalog: Catalog,
    private readonly pricing: ChatPriceCalculator,
  ) {
    super();
  }

  /** Parses a body of the API. */
  protected abstract read(body: PaidBody, request: FastifyRequest): Conversation;

  price(body: PaidBody, request: FastifyRequest): PricedConversation {
    return this.converse(this.read(body, request), request);
  }

  cheapest(request: FastifyRequest): PricedConversation {
    return this.converse(
      readCompletion({ messages: [{ role: 'user', content: '' }], max_tokens: 1 }),
      request,
    );
  }

  private converse(read: Conversation, request: FastifyRequest): PricedConversation {
    const model = this.catalog.textModel(read.model);
    const conversation = model.reasoning === true ? read : withoutEffort(read);
    const maxTokens = limitOf(model, conversation.options.maxTokens);
    const worst = worstCase(model, conversation, maxTokens);
    refuseTooMany(conversation);
    const percent = batchDiscountOf(request);
    const first = Math.min(maxTokens, STEP_TOKENS);
    const isOpen = conversation.options.maxTokens === undefined;
    const offered = isOpen ? first : maxTokens;
    const least = isOpen ? Math.min(first, CHAT_TOKENS_DEFAULT) : first;
    // A batch has reserved what its calls offer, so the hold of one must not grow into that of another.
    const grows = lateCallOf(request) === undefined;
    const share = percent === 0 ? undefined : largestShare(pricesOf(model), model.rates);
    const base = { conversation, model, maxTokens, worst, least, first, offered, grows, share };
    const forAccounts = this.atClass('accounts', base, percent);
    return this.atClass('retail', base, percent, forAccounts);
  }

  /** It lists all fields, because a copy of `base` would cost more than the prices. */
  private atClass(
    priceClass: PriceClass,
    base: Base,
    percent: number,
    forAccounts?: PricedConversation,
  ): PricedConversation {
    const { conversation, model, maxTokens, worst, least, first, offered, grows, share } = base;
    const isAccount = priceClass === 'accounts';
    const priceOf = (cost: Micro): Micro =>
      this.pricing.ofTokens(model.rates, cost, isAccount, percent, share);
    const list = priceOf(worst.priceAt(offered));
    return {
      conversation,
      model,
      maxTokens,
      worst,
      modelId: model.id,
      isListed: model.isListed,
      adultsOnly: model.adultsOnly,
      mode: 'studio',
      // A quote is valid for one class, one discount and one kind of cache only.
      input: `studio|${priceClass}|${percent}|${worst.inputMax}|${offered}${worst.isHour ? '|1h' : ''}`,
      list,
      // This floor keeps the discount of a wallet's tier from reducing a worst case.
      floor: isAccount ? micro(0n) : list,
      growth: grows
        ? {
            first: smaller(list, priceOf(worst.likelyAt(first))),
            least: smaller(list, priceOf(worst.likelyAt(least))),
            most: priceOf(worst.price),
          }
        : undefined,
      live: false,
      refusalAt: ifPresent(model.refusal, (refusal) => () => refusal),
      priceOf,
      forAccounts,
    };
  }
}

@Injectable()
export class CompletionsPricer extends ConversationPricer {
  protected read(body: PaidBody): Conversation {
    return readCompletion(body);
  }
}

@Injectable()
export class ResponsesPricer extends ConversationPricer {
  protected read(body: PaidBody): Conversation {
    return readResponses(body);
  }
}

@Injectable()
export class MessagesPricer extends ConversationPricer {
  protected read(body: PaidBody, { headers }: FastifyRequest): Conversation {
    return readMessages(body, headers['anthropic-beta']);
  }
}

@Injectable()
export class GenerateContentPricer extends ConversationPricer {
  protected read(body: PaidBody, request: FastifyRequest): Conversation {
    // The body of a quote names the model.
    return readContent(body, callInPath(request)?.model ?? (body as { readonly model?: string }).model);
  }
}

export const conversationOf = ({ priced }: Pick<PaidCall, 'priced'>): PricedConversation =>
  priced as PricedConversation;
