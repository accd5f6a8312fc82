import type { ChargeState } from '../billing/charges/charge';
import type { ProviderName } from '../providers/providers';
import type { MediaKind, MediaMode } from '../providers/media-mode';

export type JobStatus = 'running' | 'done' | 'failed';

/** A reference of the caller's library that a job works from. */
export interface UsedReference {
  readonly id: string;
  readonly input: 'image' | 'image2' | 'video';
  /** How close it is to the prompt; absent where the caller pinned it. */
  readonly score?: number;
}

/** A job before it exists. Its id is chosen first, so that the provider can be told of it. */
export interface JobDraft {
  readonly id: string;
  readonly chargeId: string;
  readonly owner: string;
  readonly kind: MediaKind;
  readonly mode: MediaMode;
  readonly modelId: string;
  readonly seconds?: number;
  readonly size?: string;
  /** Absent when the call did not ask for any; empty when none was close enough. */
  readonly references?: readonly UsedReference[];
  /** What such a job usually takes, for a progress where the provider tells none. */
  readonly usualSeconds: number;
  readonly deadlineSeconds: number;
}

export interface Job extends Omit<JobDraft, 'deadlineSeconds'> {
  readonly status: JobStatus;
  readonly provider?: ProviderName;
  readonly providerModel?: string;
  readonly providerRef?: string;
  readonly progress?: number;
  readonly mediaId?: string;
  readonly errorCode?: string;
  readonly polls: number;
  /** In database time. */
  readonly overdue: boolean;
  /** How long it may still take, in database time; below 0 once it is overdue. */
  readonly leftMs: number;
  /** `released` while it runs: a payment that failed once the work had begun. */
  readonly chargeState: ChargeState;
  readonly createdAt: Date;
  readonly finishedAt?: Date;
}

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
