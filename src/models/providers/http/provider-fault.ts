import { AppError } from '#kernel/app-error';
import { OutsideFailure } from '#kernel/outside-failure';
import {
  AnswerLost,
  ContextTooLong,
  NotServed,
  ProviderFailed,
  ProviderUnavailable,
  SubmissionInDoubt,
} from '../providers.errors';

/**
 * The effect of a failed call on its work. `refused`: the provider refuses this work for ever. `not-served`: this
 * provider does not do such work. `not-accepted`: the provider certainly did not accept the work. `empty-account`: the
 * provider did not accept the work, because our account is empty. `too-long`: the prompt does not fit into the context of
 * the model. `unknown`: the provider may have accepted the work.
 */
export type FaultOutcome =
  | 'refused'
  | 'not-served'
  | 'not-accepted'
  | 'empty-account'
  | 'too-long'
  | 'unknown';

interface FaultDetails {
  readonly status?: number;
  readonly cause?: unknown;
  /** With `not-served`: the caller's field that the provider can't serve. */
  readonly param?: string;
  /** The time for which the vendor wants no requests. */
  readonly pauseMs?: number | undefined;
  /** With `too-long`: the tokens of the prompt, and their maximum. */
  readonly tokens?: ProviderFault['tokens'];
}

/** A failed call to a provider. The error contains codes for the log, but no sentence of the provider. */
export class ProviderFault extends OutsideFailure {
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
    if (details.tokens !== undefined) this.tokens = details.tokens;
  }

  readonly status?: number;
  readonly param?: string;
  readonly pauseMs?: number;
  readonly tokens?: { readonly sent: number; readonly max: number } | undefined;
}

/** The pause that the vendor's rate limit asked for. */
export const pauseMsOf = (error: AppError): number | undefined => {
  const { cause } = error.extras;
  return cause instanceof ProviderFault ? cause.pauseMs : undefined;
};

/** Whether the vendor knows no model of this name. */
export const isUnknownModel = (error: unknown): boolean => {
  const cause = error instanceof AppError ? error.extras.cause : undefined;
  return cause instanceof ProviderFault && cause.status === 404;
};

/** The reason in the metrics. Our empty account has a separate reason, because only operators can top it up. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof AppError)) return 'timeout';
  const { cause } = error.extras;
  return cause instanceof ProviderFault && cause.outcome === 'empty-account' ? 'EMPTY_ACCOUNT' : error.code;
};

/** The model refuses the content of the request. */
export const contentRefused = (): ProviderFault => new ProviderFault('refused', 'it refuses the content');

/** For submissions of media. If the outcome is unknown, a look-up or the deadline decides later. */
export const asMediaError = (error: unknown): unknown => {
  if (!(error instanceof ProviderFault)) return error;
  if (error.outcome === 'refused') return new ProviderFailed(error);
  if (error.outcome === 'too-long') return new ContextTooLong(error, error.tokens);
  if (error.outcome === 'not-served') return new NotServed(error, error.param);
  return error.outcome === 'unknown' ? new SubmissionInDoubt(error) : new ProviderUnavailable(error);
};

/** With these statuses, the vendor says that it made no answer. Such a request is not billed. */
const FAILED: ReadonlySet<number | undefined> = new Set([500, 502, 503, 504]);

/**
 * For texts and audio. The vendor may have made and billed an answer that was lost, and nobody can fetch it again. So the
 * failover asks no other route, unless the vendor itself answered that it failed.
 */
export const asTextError = (error: unknown): unknown => {
  if (!(error instanceof ProviderFault) || error.outcome !== 'unknown') return asMediaError(error);
  return FAILED.has(error.status) ? new ProviderUnavailable(error) : new AnswerLost(error);
};

/** For polls of running work. A failed poll says nothing about the work. */
export const asLookError = (error: unknown): unknown =>
  error instanceof ProviderFault ? new ProviderUnavailable(error) : error;
