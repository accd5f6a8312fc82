import { Injectable } from '@nestjs/common';

import { QueueUnavailable } from './queue.errors';
import { Queues } from './queues';

export type QueueState = 'ok' | 'down';
export type QueueDepths = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface QueueFailure {
  readonly queue: string;
  /** The job's name, for example the name of a scheduled processor. */
  readonly job: string;
  readonly at: Date;
  readonly reason: string;
}

/**
 * The number of jobs that are read of each queue. Only the newest job of each reason is shown, so that a frequent
 * reason hides no other.
 */
const FAILURES_READ = 100;
const FAILURES_EACH = 10;
const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;
/** Health checks are frequent, and their callers wait only a moment. */
const ANSWER_WITHIN_MS = 1_000;
/** Longer than a pool waits for a connection. */
const READ_WITHIN_MS = 10_000;

/** The depth of the queues, and whether they answer. */
@Injectable()
export class QueueHealth {
  constructor(private readonly queues: Queues) {}

  /** The entries of each queue by state. */
  async depths(): Promise<QueueDepths> {
    const counted = this.queues.all.map(
      async (queue) => [queue.name, await queue.getJobCounts(...STATES)] as const,
    );
    return Object.fromEntries(await answered(counted));
  }

  /** Jobs that failed lately, newest first. A failed scheduled run needs no action: the next one does its work. */
  async failures(): Promise<QueueFailure[]> {
    const found = this.queues.all.map(async (queue) => {
      const failed = (await queue.getFailed(0, FAILURES_READ - 1)).map(
        ({ name, finishedOn, timestamp, failedReason }) => ({
          queue: queue.name,
          job: name,
          at: new Date(finishedOn ?? timestamp),
          reason: failedReason ?? '',
        }),
      );
      // BullMQ returns the newest jobs first.
      return failed
        .filter(
          ({ job, reason }, at) => failed.findIndex((one) => one.job === job && one.reason === reason) === at,
        )
        .slice(0, FAILURES_EACH);
    });
    return (await answered(found)).flat().sort((a, b) => b.at.getTime() - a.at.getTime());
  }

  async state(): Promise<QueueState> {
    try {
      await inTime(this.depths(), ANSWER_WITHIN_MS);
      return 'ok';
    } catch {
      return 'down';
    }
  }
}

/** Every error of a backend or a driver means that it can't be asked now. */
const answered = async <T>(asked: readonly Promise<T>[]): Promise<T[]> => {
  try {
    return await inTime(Promise.all(asked), READ_WITHIN_MS);
  } catch (error) {
    throw error instanceof QueueUnavailable ? error : new QueueUnavailable(error);
  }
};

const inTime = async <T>(work: Promise<T>, msMax: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new QueueUnavailable()), msMax).unref();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};
