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

/** Completes texts at one provider. */
export abstract class TextProvider {
  abstract readonly name: AdapterName;

  abstract complete(request: TextRequest, signal: AbortSignal): Promise<TextAnswer>;
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
