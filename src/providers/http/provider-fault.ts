import {
  AnswerLost,
  NotServed,
  ProviderFailed,
  ProviderUnavailable,
  SubmissionInDoubt,
} from '../providers.errors';

/**
 * What a failed call means for the work that it asked for: the provider said no to it for good, it is not for this
 * provider, the provider surely did not take it, or nobody knows.
 */
export type FaultOutcome = 'refused' | 'not-served' | 'not-accepted' | 'unknown';

/** A call to a provider that did not end well. It carries codes for the log, and never a sentence of the provider's. */
export class ProviderFault extends Error {
  constructor(
    readonly outcome: FaultOutcome,
    why: string,
    options: { readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(why, { cause: options.cause });
    this.name = 'ProviderFault';
    if (options.status !== undefined) this.status = options.status;
  }

  readonly status?: number;
}

/** For submissions of media: what nobody knows stays open until a look-up or the deadline decides. */
export const asMediaError = (error: unknown): unknown => {
  if (!(error instanceof ProviderFault)) return error;
  if (error.outcome === 'refused') return new ProviderFailed(error);
  if (error.outcome === 'not-served') return new NotServed(error);
  return error.outcome === 'not-accepted' ? new ProviderUnavailable(error) : new SubmissionInDoubt(error);
};

/** For texts: one whose answer is lost can't be fetched again, but it may have been made, so no other route makes it too. */
export const asTextError = (error: unknown): unknown =>
  error instanceof ProviderFault && error.outcome === 'unknown' ? new AnswerLost(error) : asMediaError(error);

/** For looks at work that runs: whatever goes wrong with a look says nothing about the work. */
export const asLookError = (error: unknown): unknown =>
  error instanceof ProviderFault ? new ProviderUnavailable(error) : error;
