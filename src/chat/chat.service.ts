import { Injectable } from '@nestjs/common';

import type { PaidCall } from '../billing/calls/paid-call';
import { CHAT_TOKENS_DEFAULT } from '../catalog/pricing';
import { AppError } from '../kernel/app-error';
import { Metrics } from '../platform/telemetry/metrics';
import { ProviderUnavailable, type TextAnswer } from '../providers/text-provider';
import { TextProviders } from '../providers/text-providers';
import type { ChatAnswer, ChatBody } from './chat.dto';
import { ChatPricer } from './chat.pricer';

/** A completion that takes longer than this is given up: its caller has long gone. */
export const CHAT_SECONDS_MAX = 90;

/** Completes a chat call at the first route that is on. */
@Injectable()
export class ChatService {
  constructor(
    private readonly pricer: ChatPricer,
    private readonly providers: TextProviders,
    private readonly metrics: Metrics,
  ) {}

  async complete({ body, chargeId }: PaidCall<ChatBody>): Promise<ChatAnswer> {
    const model = this.pricer.modelOf(body);
    const [route] = model.routes;
    const provider = route === undefined ? undefined : this.providers.find(route.provider);
    if (route === undefined || provider === undefined) {
      throw new ProviderUnavailable();
    }
    const answer = await this.measured(provider.name, () =>
      provider.complete(
        {
          model: route.model,
          messages: body.messages,
          maxTokens: body.max_tokens ?? CHAT_TOKENS_DEFAULT,
          ...(body.temperature === undefined ? {} : { temperature: body.temperature }),
          ...(body.reasoning_effort === undefined ? {} : { reasoningEffort: body.reasoning_effort }),
          reference: chargeId ?? '',
        },
        AbortSignal.timeout(CHAT_SECONDS_MAX * 1_000),
      ),
    );
    return {
      choices: [{ message: { role: 'assistant', content: answer.content } }],
      usage: { prompt_tokens: answer.promptTokens, completion_tokens: answer.completionTokens },
    };
  }

  /** A text can't be fetched again, so whatever goes wrong here has surely produced nothing that the caller gets. */
  private async measured(provider: string, work: () => Promise<TextAnswer>): Promise<TextAnswer> {
    const started = performance.now();
    try {
      return await work();
    } catch (error) {
      this.metrics.providerFailed(provider, 'chat', error instanceof AppError ? error.code : 'timeout');
      throw error instanceof AppError ? error : new ProviderUnavailable(error);
    } finally {
      this.metrics.providerAnswered(provider, 'chat', (performance.now() - started) / 1_000);
    }
  }
}
