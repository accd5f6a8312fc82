import { Injectable } from '@nestjs/common';

import { within } from '#kernel/deadline';
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
 * The number of failed jobs to read from each queue. Operators see only the newest job for each reason, so a frequent
 * reason does not hide the others.
 */
const FAILURES_READ = 100;
const FAILURES_EACH = 10;
const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;
/** The limit of a health check. Such checks are frequent, and their callers wait only a moment. */
const ANSWER_WITHIN_MS = 1_000;
/** The limit of other readings, longer than a pool waits for a connection. */
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

  /**
   * Jobs that failed lately, newest first. A failed scheduled run needs no action, because the next run does its work.
   */
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
      await within(ANSWER_WITHIN_MS, this.depths(), tooLate);
      return 'ok';
    } catch {
      return 'down';
    }
  }
}

/** Every error of a backend or its driver means that the queue is unavailable. */
const answered = async <T>(reads: readonly Promise<T>[]): Promise<T[]> => {
  try {
    return await within(READ_WITHIN_MS, Promise.all(reads), tooLate);
  } catch (error) {
    throw error instanceof QueueUnavailable ? error : new QueueUnavailable(error);
  }
};

const tooLate = (): never => {
  throw new QueueUnavailable();
};
