import { AppError } from '../kernel/app-error';
import type { AdapterName } from './adapters';

export interface ChatMessage {
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
  /** Our charge, sent along where the provider takes a reference. */
  readonly reference: string;
}

export interface TextAnswer {
  readonly content: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** A chat call in the shape that clients already speak: messages may carry images and tool results. */
export interface ConversationRequest {
  readonly model: string;
  readonly maxTokens: number;
  readonly reference: string;
  /** `messages`, and whatever else is passed through: tools, response_format, temperature, … Checked by the caller. */
  readonly body: Readonly<Record<string, unknown>> & { readonly messages: readonly object[] };
}

/** A piece of a streamed answer. */
export type ConversationPiece =
  /**
   * One choice's `delta` as clients know it: content, tool calls; and how it ended, once it has. What came with it that
   * clients don't know is hidden from them, but it was made and counts.
   */
  | {
      readonly delta: Readonly<Record<string, unknown>>;
      readonly finishReason?: string;
      readonly hidden?: Readonly<Record<string, unknown>>;
    }
  /** The real token counts, once, at the end. */
  | { readonly usage: { readonly promptTokens: number; readonly completionTokens: number } };

/** Completes texts at one provider. */
export abstract class TextProvider {
  abstract readonly name: AdapterName;

  abstract complete(request: TextRequest, signal: AbortSignal): Promise<TextAnswer>;

  /**
   * Streams an answer. What is thrown before the first piece means that nothing was produced; afterwards the stream
   * simply ends in an error. Aborting `signal` stops the work upstream.
   */
  abstract converse(request: ConversationRequest, signal: AbortSignal): AsyncIterable<ConversationPiece>;
}

/** The provider refused or failed, and says so. Nothing of its words reaches the caller. */
export class ProviderFailed extends AppError {
  readonly kind = 'provider';
  readonly code = 'PROVIDER_ERROR';

  constructor(cause?: unknown) {
    super(
      'The model refused or failed this call. Nothing was charged; try it again or choose another model.',
      {
        cause,
      },
    );
  }
}

/** The provider can't be reached, or gave no answer in time. */
export class ProviderUnavailable extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'PROVIDER_UNAVAILABLE';

  constructor(cause?: unknown) {
    super('The model does not answer just now. Nothing was charged; send the same call again in a moment.', {
      retryAfterSeconds: 5,
      cause,
    });
  }
}

/** The provider may have made the text, but its answer is lost: no other route may be asked for the same work. */
export class AnswerLost extends ProviderUnavailable {}
