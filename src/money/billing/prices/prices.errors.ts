import { defineError } from '#kernel/app-error';
import { errorCode } from '#kernel/error-code';

export class QuoteExpired extends defineError(
  errorCode('QUOTE_EXPIRED', 'conflict', {
    means: 'The quote is no longer valid.',
    remedy: 'Ask for a new one. It is free.',
  }),
  'This quote is over 15 minutes old. Ask POST /v1/agent/quote for a new one.',
  { param: 'quoteId' },
) {}

export const QuoteMismatch = defineError(
  errorCode('QUOTE_MISMATCH', 'conflict', {
    means: 'The quote was made for another input, another wallet, or another price class than this call.',
    remedy:
      'Quote the call that you send, with the same credential: the same model, seconds, resolution or length, and the same `payer`.',
  }),
  (reason: string) => `This quote is not for this call: ${reason}.`,
  { param: 'quoteId' },
);
