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
  | 'references'
  | 'webhookUrl'
  | 'usualSeconds'
  | 'tag'
  | 'cost'
> & { readonly deadlineSeconds: number };

/** Percent done: the provider's value, else by the usual duration; never 100 before the end. */
export const progressOf = (job: Job, now: Date): number => {
  if (job.status === 'done') return 100;
  const elapsed = (now.getTime() - job.createdAt.getTime()) / 1_000;
  return job.progress ?? Math.max(0, Math.min(95, Math.round((elapsed / job.usualSeconds) * 90)));
};

/** Whether the job is charged: one with an open or released charge is visible to nobody. */
export const isPaidFor = ({ chargeState }: Job): boolean =>
  chargeState === 'charged' || chargeState === 'refunded';

/** Its media, in the order of its maker. */
export const mediaIdsOf = ({ mediaId, furtherMediaIds = [] }: Job): readonly string[] =>
  mediaId === undefined ? [] : [mediaId, ...furtherMediaIds];

/** The job as callers see it: a refunded one reads as failed, without its media. */
export const asShown = (job: Job): Job => {
  if (job.chargeState === 'charged') return job;
  const { mediaId: _, furtherMediaIds: _further, ...withoutMedium } = job;
  return job.chargeState === 'refunded' && job.status !== 'failed'
    ? { ...withoutMedium, status: 'failed', errorCode: 'REFUNDED' }
    : withoutMedium;
};
