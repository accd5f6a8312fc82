import { Injectable } from '@nestjs/common';

import type { PaidCall } from '#money/billing/calls/paid-call';
import type { TextModel } from '#models/catalog/catalog-models';
import { CHAT_TOKENS_DEFAULT } from '#models/catalog/chat-limits';
import { charsOf, estimatedTokens } from '#models/catalog/token-estimate';
import { textCost } from '#models/catalog/route-costs';
import type { TextUsage } from '#models/providers/text-provider';
import { untilEither } from '#kernel/abort';
import { deadlineIn } from '#kernel/deadline';
import type { Micro } from '#kernel/money';
import { withoutAbsent } from '#kernel/present';
import { AnswerScreening } from './answer-screening';
import type { ChatAnswer, ChatBody } from './chat.dto';
import { ChatPricer } from './chat.pricer';
import { TextSubmission } from './text-submission';

/** The service aborts a completion that takes longer, because its caller has probably disconnected. */
export const CHAT_SECONDS_MAX = 90;

/**
 * The model without the vendors that cost more than the quoted price. A dearer vendor may have come after the quote, and a
 * failover to it would sell below its cost. If all vendors cost more, the quote still holds.
 */
const coveredBy = (quoted: Micro | undefined, model: TextModel, most: TextUsage): TextModel => {
  if (quoted === undefined) return model;
  const routes = model.routes.filter((route) => textCost(model.rates, route, most).cost <= quoted);
  return routes.length === 0 ? model : { ...model, routes };
};

/** Completes a chat call at the first route that accepts it. */
@Injectable()
export class ChatService {
  constructor(
    private readonly pricer: ChatPricer,
    private readonly submission: TextSubmission,
    private readonly screening: AnswerScreening,
  ) {}

  async complete({ body, priced, chargeId, attempts, price }: PaidCall<ChatBody>): Promise<ChatAnswer> {
    const maxTokens = body.max_tokens ?? CHAT_TOKENS_DEFAULT;
    const promptTokens = Number(estimatedTokens(charsOf(body.messages)));
    const quoted = body.quoteId === undefined ? undefined : price;
    // The default may have changed since the call was priced.
    const requested = this.pricer.modelOf({ ...body, model: body.model ?? priced.modelId });
    const model = coveredBy(quoted, requested, {
      promptTokens,
      completionTokens: maxTokens,
    });
    const effort = model.reasoning === true ? body.reasoning_effort : undefined; // Other models refuse the parameter.
    const signal = deadlineIn(CHAT_SECONDS_MAX); // One deadline for all routes together.
    const call = { work: 'answer', promptTokens, attempts, discard: () => undefined } as const;
    const answer = await this.submission.submit(model, call, async (provider, route, lost) => {
      const request = {
        model: route.model,
        messages: body.messages,
        maxTokens,
        temperature: body.temperature,
        reasoningEffort: effort,
        ourId: chargeId ?? '',
      };
      const made = await untilEither(signal, lost, (either) => provider.complete(request, either));
      // If another route answered first, `submit` has already recorded the cost of this answer.
      if (lost?.aborted !== true) this.submission.noteCost(model, route, made);
      return made;
    });
    if (this.screening.isOn) await this.screening.requireAllowed(model, answer.content);
    return {
      choices: [
        withoutAbsent({
          message: { role: 'assistant', content: answer.content },
          finish_reason: answer.finishReason,
        }),
      ],
      usage: { prompt_tokens: answer.promptTokens, completion_tokens: answer.completionTokens },
    };
  }
}
