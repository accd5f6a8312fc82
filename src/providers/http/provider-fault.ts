import { AppError } from '../../kernel/app-error';
import {
  AnswerLost,
  NotServed,
  ProviderFailed,
  ProviderUnavailable,
  SubmissionInDoubt,
} from '../providers.errors';

/**
 * The effect of a failed call on its work. `refused`: the provider refuses it for ever. `not-served`: this provider
 * does not serve such work. `not-accepted`: the provider surely did not accept it. `empty-account`: it did not accept
 * it because our account is empty. `unknown`: the outcome is not known.
 */
export type FaultOutcome = 'refused' | 'not-served' | 'not-accepted' | 'empty-account' | 'unknown';

interface FaultDetails {
  readonly status?: number;
  readonly cause?: unknown;
  /** With `not-served`: the caller's field that the provider can't serve. */
  readonly param?: string;
  /** The time for which the vendor asked for no requests. */
  readonly pauseMs?: number | undefined;
}

/** A failed call to a provider. It contains codes for the log, and never a sentence of the provider. */
export class ProviderFault extends Error {
  constructor(
    readonly outcome: FaultOutcome,
    why: string,
    details: FaultDetails = {},
  ) {
    super(why, { cause: details.cause });
    this.name = 'ProviderFault';
    if (details.status !== undefined) this.status = details.status;
    if (details.param !== undefined) this.param = details.param;
    if (details.pauseMs !== undefined) this.pauseMs = details.pauseMs;
  }

  readonly status?: number;
  readonly param?: string;
  readonly pauseMs?: number;
}

/** The pause that the vendor's rate limit asked for. */
export const pauseMsOf = (error: AppError): number | undefined => {
  const { cause } = error.extras;
  return cause instanceof ProviderFault ? cause.pauseMs : undefined;
};

/** The reason in the metrics. Our own empty account has a separate name, because only operators can top it up. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof AppError)) return 'timeout';
  const { cause } = error.extras;
  return cause instanceof ProviderFault && cause.outcome === 'empty-account' ? 'EMPTY_ACCOUNT' : error.code;
};

/** The model refuses the content of the request. */
export const contentRefused = (): ProviderFault => new ProviderFault('refused', 'it refuses the content');

/** For submissions of media: an unknown outcome stays open until a look-up or the deadline decides. */
export const asMediaError = (error: unknown): unknown => {
  if (!(error instanceof ProviderFault)) return error;
  if (error.outcome === 'refused') return new ProviderFailed(error);
  if (error.outcome === 'not-served') return new NotServed(error, error.param);
  return error.outcome === 'unknown' ? new SubmissionInDoubt(error) : new ProviderUnavailable(error);
};

/** For texts. A lost answer can't be fetched again, but the vendor may have made it, so no other route is asked. */
export const asTextError = (error: unknown): unknown =>
  error instanceof ProviderFault && error.outcome === 'unknown' ? new AnswerLost(error) : asMediaError(error);

/** For polls of running work: a failed poll says nothing about the work. */
export const asLookError = (error: unknown): unknown =>
  error instanceof ProviderFault ? new ProviderUnavailable(error) : error;
