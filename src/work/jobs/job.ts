import type { Job } from './job.entity';

/** A job before its row exists. Its id is chosen first, so that the provider can get it. */
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
  | 'resultCount'
  | 'leastResult'
  | 'references'
  | 'webhookUrl'
  | 'usualSeconds'
  | 'tag'
  | 'cost'
> & { readonly deadlineSeconds: number };

/** Percent done: the provider's value, or else an estimate by the usual duration. It is never 100 before the end. */
export const progressOf = (job: Job, now: Date): number => {
  if (job.status === 'done') return 100;
  const elapsed = (now.getTime() - job.createdAt.getTime()) / 1_000;
  return job.progress ?? Math.max(0, Math.min(95, Math.round((elapsed / job.usualSeconds) * 90)));
};

/** Whether the job is paid: a job with an open or released charge is visible to nobody. */
export const isPaidFor = ({ chargeState }: Job): boolean =>
  chargeState === 'charged' || chargeState === 'refunded';

/** The ids of its media, in the provider's order. */
export const mediaIdsOf = ({ mediaId, furtherMediaIds = [] }: Job): readonly string[] =>
  mediaId === undefined ? [] : [mediaId, ...furtherMediaIds];

/** The job as callers see it: a refunded job is shown as failed, without its media. */
export const asShown = (job: Job): Job => {
  if (job.chargeState === 'charged') return job;
  const { mediaId: _, furtherMediaIds: _further, ...withoutMedium } = job;
  return job.chargeState === 'refunded' && job.status !== 'failed'
    ? { ...withoutMedium, status: 'failed', errorCode: 'REFUNDED' }
    : withoutMedium;
};
