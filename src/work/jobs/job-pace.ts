import type { MediaProvider } from '#models/providers/media-provider';
import type { Job } from './job.entity';

const PACE_MS_MAX = 5_000;
export const BACKOFF_MS_MAX = 60_000;

/**
 * The time until the next poll of a job. It grows with the age of the job. The jitter separates jobs that began together.
 */
export const pace = (job: Job, { pollMs }: MediaProvider): number => {
  const age = Date.now() - job.createdAt.getTime();
  const every = Math.max(pollMs, Math.min(PACE_MS_MAX, age / 10));
  return Math.round(every * (0.8 + Math.random() * 0.4));
};

/** The time until the next poll after an error. It doubles with each poll. */
export const backoff = (job: Job, provider: MediaProvider | undefined): number =>
  Math.min(BACKOFF_MS_MAX, (provider?.pollMs ?? 1_000) * 2 ** Math.min(job.polls, 6));
