import type { Conversation, ChatApi } from '#models/conversation/conversation';
import type { ImageCopies } from '#models/conversation/sent-body';
import type { Micro } from '#kernel/money';
import type { ProviderName } from './provider-name';
import type { TokenPrices } from './token-prices';

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

/** The token counts and the bill of a call, as its provider reports them. */
export interface TextUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** The tokens of the prompt that the provider read from its cache, and wrote into it, if it reports them. */
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** Among `cacheWriteTokens`: those that the cache keeps for an hour. */
  readonly cacheWrite1hTokens?: number;
  /** The tokens of images and of sound, in the prompt and in the answer. */
  readonly inputImageTokens?: number;
  readonly inputAudioTokens?: number;
  readonly outputAudioTokens?: number;
  /** The provider's own bill for the call, if it reports one. */
  readonly cost?: Micro;
}

export interface TextAnswer extends TextUsage {
  readonly content: string;
  /** Why the model stopped, in the words of chat completions, if its provider reports it. */
  readonly finishReason?: string;
}

/** A conversation of any API for one model. */
export interface ConversationRequest {
  readonly model: string;
  readonly maxTokens: number;
  readonly ourId: string;
  readonly conversation: Conversation;
  readonly copies: ImageCopies;
}

/** A piece of a streamed answer. */
export type ConversationPiece =
  /**
   * The `delta` of one choice, in the form that clients know: content and tool calls. The last piece has a
   * `finishReason`. `hidden` has unknown fields: clients do not see them, but the model generated them, so they count.
   */
  | {
      readonly delta: Readonly<Record<string, unknown>>;
      readonly finishReason?: string;
      readonly hidden?: Readonly<Record<string, unknown>>;
      /** The maker's proof of the thoughts or the text before it, for the next turn of the conversation. */
      readonly signature?: string;
      /** The vendor's own event, if the vendor speaks the API of the caller. The caller gets it in place of `delta`. */
      readonly native?: Readonly<Record<string, unknown>>;
      /** Thoughts that only their maker can read, for the next turn of the conversation. */
      readonly redacted?: string;
    }
  /** The provider's counts, once, at the end of the stream. */
  | { readonly usage: TextUsage };

/** Completes texts at one provider. Its methods throw only the errors of `providers.errors.ts`. */
export abstract class TextProvider {
  abstract readonly name: ProviderName;
  /** Whether the provider takes the bodies of this API as the caller sent them. Other bodies are translated. */
  speaks(_api: ChatApi): boolean {
    return false;
  }

  abstract complete(request: TextRequest, signal: AbortSignal): Promise<TextAnswer>;

  /**
   * Streams an answer. Pieces that arrived together are one batch. The iterator throws if the stream fails, before the
   * first piece or after any other. Aborting `signal` stops the work at the provider.
   */
  abstract converse(
    request: ConversationRequest,
    signal: AbortSignal,
  ): AsyncIterable<readonly ConversationPiece[]>;

  /**
   * The vendor's own count of the input tokens of a conversation without images. Undefined or absent if the vendor does
   * not count.
   */
  count?(request: ConversationRequest, signal: AbortSignal): Promise<number | undefined>;

  /** The vendor's present prices, by its own names of models. Empty or absent if the vendor has no price list. */
  prices?(signal: AbortSignal): Promise<ReadonlyMap<string, TokenPrices>>;

  /** Closes the connections to the provider. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
