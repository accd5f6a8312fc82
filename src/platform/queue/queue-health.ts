import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Queue } from 'bullmq';

export type QueueState = 'ok' | 'down';
export type QueueDepths = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface QueueFailure {
  readonly queue: string;
  readonly at: Date;
  readonly reason: string;
}

const FAILURES_EACH = 10;
const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;
/** A health check is asked often and by people in a hurry. */
const ANSWER_WITHIN_MS = 1_000;

/** How full the queues are, and whether they answer at all. */
@Injectable()
export class QueueHealth {
  constructor(private readonly discovery: DiscoveryService) {}

  /** Entries of each queue by state. */
  async depths(): Promise<QueueDepths> {
    const counted = this.queues().map(
      async (queue) => [queue.name, await queue.getJobCounts(...STATES)] as const,
    );
    return Object.fromEntries(await Promise.all(counted));
  }

  /** What went wrong of late, newest first. A tick that failed needs no help: the next one does its work. */
  async failures(): Promise<QueueFailure[]> {
    const found = this.queues().map(async (queue) =>
      (await queue.getFailed(0, FAILURES_EACH - 1)).map(({ finishedOn, timestamp, failedReason }) => ({
        queue: queue.name,
        at: new Date(finishedOn ?? timestamp),
        reason: failedReason ?? '',
      })),
    );
    return (await Promise.all(found)).flat().sort((a, b) => b.at.getTime() - a.at.getTime());
  }

  async state(): Promise<QueueState> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<QueueState>((resolve) => {
      timer = setTimeout(() => resolve('down'), ANSWER_WITHIN_MS).unref();
    });
    const answered = this.depths().then(
      (): QueueState => 'ok',
      (): QueueState => 'down',
    );
    try {
      return await Promise.race([answered, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  queue(name: string): Queue {
    const queue = this.queues().find((candidate) => candidate.name === name);
    if (queue === undefined) {
      throw new Error(`The queue ${name} is not registered; import QueueModule.queue('${name}').`);
    }
    return queue;
  }

  private queues(): Queue[] {
    const instances = this.discovery.getProviders().map(({ instance }: { instance: unknown }) => instance);
    return [...new Set(instances.filter((instance) => instance instanceof Queue))];
  }
}
