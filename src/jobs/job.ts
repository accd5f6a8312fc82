import type { Job } from './job.entity';

/** A job before it exists. Its id is chosen first, so that the provider can be told of it. */
export type JobDraft = Pick<
  Job,
  | 'id'
  | 'chargeId'
  | 'owner'
  | 'kind'
  | 'mode'
  | 'modelId'
  | 'seconds'
  | 'size'
  | 'references'
  | 'webhookUrl'
  | 'usualSeconds'
  | 'tag'
> & { readonly deadlineSeconds: number };

/** Percent done: what the provider says, else by the time that such a job usually takes; never 100 before the end. */
export const progressOf = (job: Job, now: Date): number => {
  if (job.status === 'done') return 100;
  const elapsed = (now.getTime() - job.createdAt.getTime()) / 1_000;
  return job.progress ?? Math.max(0, Math.min(95, Math.round((elapsed / job.usualSeconds) * 90)));
};

/** Only what was charged can be had: a job whose charge is open, or was released, is nobody's. */
export const isPaidFor = ({ chargeState }: Job): boolean =>
  chargeState === 'charged' || chargeState === 'refunded';

/** The job as callers see it: what was given back reads as failed, and its medium is gone. */
export const asShown = (job: Job): Job => {
  if (job.chargeState === 'charged') return job;
  const { mediaId: _, ...withoutMedium } = job;
  return job.chargeState === 'refunded' && job.status !== 'failed'
    ? { ...withoutMedium, status: 'failed', errorCode: 'REFUNDED' }
    : withoutMedium;
};
