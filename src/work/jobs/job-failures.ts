import { blockedResult } from '#models/providers/policy/policy.errors';
import type { Job } from './job.entity';

/** The ends of a job other than its success, with their messages. The provider's own words stay internal. */
export const FAILURE_REASONS = {
  CANCELLED: 'It was cancelled.',
  DEADLINE: 'The model did not finish in time.',
  POLICY_BLOCKED: 'The model made something that the content policy does not allow.',
  PROVIDER_FAILED: 'The model failed to make it.',
  NOT_SUBMITTED: 'The work never began.',
  UNPAID: 'The payment failed, so the work was stopped.',
  REFUNDED: 'Its money was refunded.',
} as const;

export type JobErrorCode = keyof typeof FAILURE_REASONS;
export const JOB_ERROR_CODES = Object.keys(FAILURE_REASONS).toSorted();

/** The message of this failed job. */
export const reasonOf = ({
  errorCode,
  blockedCategory,
}: Pick<Job, 'errorCode' | 'blockedCategory'>): string =>
  blockedCategory === undefined
    ? (FAILURE_REASONS[(errorCode ?? 'PROVIDER_FAILED') as JobErrorCode] ?? FAILURE_REASONS.PROVIDER_FAILED)
    : blockedResult(blockedCategory);
