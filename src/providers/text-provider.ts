import type { Micro } from '../kernel/money';
import type { ProviderName } from './provider-name';

interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface TextRequest {
  /** The provider's own name of the model. */
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly maxTokens: number;
  readonly temperature?: number;
  readonly reasoningEffort?: 'low' | 'medium' | 'high';
  /** The id of our charge, for providers that accept an id. */
  readonly ourId: string;
}

/** A provider's counts. */
export interface TextUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** How many of the prompt's tokens the provider read from its cache, and wrote into it, if it reports them. */
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** The provider's own bill for the call, if it reports one. */
  readonly cost?: Micro;
}

export interface TextAnswer extends TextUsage {
  readonly content: string;
}

/** A chat call in the shape that clients already speak: messages may carry images and tool results. */
export interface ConversationRequest {
  readonly model: string;
  readonly maxTokens: number;
  readonly ourId: string;
  /**
   * `messages`, and other fields that are passed through: tools, response_format, temperature, … The caller has checked
   * them.
   */
  readonly body: Readonly<Record<string, unknown>> & { readonly messages: readonly object[] };
}

/** A piece of a streamed answer. */
export type ConversationPiece =
  /**
   * One choice's `delta` as clients know it: content and tool calls. `finishReason` is set at its end. `hidden` has
   * unknown fields, which clients do not see, but which were generated and count.
   */
  | {
      readonly delta: Readonly<Record<string, unknown>>;
      readonly finishReason?: string;
      readonly hidden?: Readonly<Record<string, unknown>>;
    }
  /** The real counts, once, at the end. */
  | { readonly usage: TextUsage };

/** Micro-USD of a million tokens. */
export interface TokenPrices {
  readonly input: Micro;
  readonly output: Micro;
  readonly cacheRead?: Micro;
  readonly cacheWrite?: Micro;
}

/** Completes texts at one provider. It throws only the errors of `providers.errors.ts`. */
export abstract class TextProvider {
  abstract readonly name: ProviderName;

  abstract complete(request: TextRequest, signal: AbortSignal): Promise<TextAnswer>;

  /**
   * Streams an answer; pieces that arrived together are one batch. An error before the first piece means that nothing
   * was produced. After it, the stream ends in an error. Aborting `signal` stops the work upstream.
   */
  abstract converse(
    request: ConversationRequest,
    signal: AbortSignal,
  ): AsyncIterable<readonly ConversationPiece[]>;

  /**
   * The vendor's present prices by its own names of models. Empty if its list has no prices; absent if it has no list.
   */
  prices?(signal: AbortSignal): Promise<ReadonlyMap<string, TokenPrices>>;

  /** Closes its connections. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
