import type { EventEmitter } from 'node:events';

import { BullRegistrar, WorkerHost } from '@nestjs/bullmq';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Queue, type Worker } from 'bullmq';

import type { BackgroundTask } from '../background/background-task';
import { BackgroundWork } from '../background/background-work';
import { Schedule } from './schedule';
import { SETTINGS } from '../config/settings';
import type { ProcessSettings } from '../config/process.settings';

const PLAN_EVERY_MS = 10_000;
const TROUBLE_QUIET_MS = 60_000;

/** Starts and ends the queues and workers of all modules. A process that only answers calls has no workers. */
@Injectable()
export class Queues implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private planning?: BackgroundTask;
  private workers: readonly Worker[] = [];

  constructor(
    private readonly registrar: BullRegistrar,
    private readonly discovery: DiscoveryService,
    private readonly schedule: Schedule,
    @Inject(SETTINGS) private readonly settings: ProcessSettings,
    private readonly background: BackgroundWork,
  ) {}

  get all(): readonly Queue[] {
    return this.find<Queue>(Queue);
  }

  onModuleInit(): void {
    for (const queue of this.all) warnOfTrouble(queue, 'queue');
  }

  async onApplicationBootstrap(): Promise<void> {
    const { schedule } = this;
    void schedule.processors; // Reads the processors in every role, so that the start fails if two have the same name.
    if (this.settings.role === 'api') return;
    this.registrar.register();
    const hosts = this.find(WorkerHost);
    this.workers = hosts.map(({ worker }) => worker);
    for (const worker of this.workers) warnOfTrouble(worker, 'worker');
    const duplicates = duplicatesOf(hosts);
    if (duplicates !== undefined) {
      await this.beforeApplicationShutdown();
      throw new Error(duplicates);
    }
    // The start does not wait for the first plan, because an unavailable queue must not prevent the start. The next run
    // plans the jobs.
    let isFirst = true;
    const plan = async (): Promise<void> => {
      await schedule.plan();
      if (isFirst) await schedule.forgetUnknown();
      isFirst = false;
    };
    this.planning = this.background.task('Planning scheduled work', plan, { everyMs: PLAN_EVERY_MS });
    this.planning.wake();
  }

  /** Waits for running jobs here, because the database is still connected. The pools close later. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.planning?.stop(), ...this.workers.map((worker) => worker.close())]);
    // This skips BullMQ's clean close. No job runs any more, and an unavailable Redis could not answer the close.
    await Promise.all(this.all.map((queue) => (queue.closing ??= queue.getBackend().close(true))));
  }

  private find<T>(type: abstract new (...args: never[]) => T): T[] {
    const instances = this.discovery.getProviders().map(({ instance }: { instance: unknown }) => instance);
    return [...new Set(instances.filter((instance): instance is T => instance instanceof type))];
  }
}

/** The error for two processors that share a queue. BullMQ would give each job to either of them. */
const duplicatesOf = (hosts: readonly WorkerHost[]): string | undefined => {
  const found = new Map<string, string>();
  for (const { worker, constructor } of hosts) {
    const other = found.get(worker.name);
    if (other !== undefined)
      return `${other} and ${constructor.name} both process the queue "${worker.name}". A queue has one processor.`;
    found.set(worker.name, constructor.name);
  }
  return undefined;
};

/** Without a listener, BullMQ prints each lost connection to the console, some of them many times a second. */
const warnOfTrouble = (instance: EventEmitter & { readonly name: string }, kind: string): void => {
  const logger = new Logger('Queue');
  let quietUntil = 0;
  instance.on('error', (error: Error) => {
    if (Date.now() < quietUntil) return;
    quietUntil = Date.now() + TROUBLE_QUIET_MS;
    logger.warn(`The ${kind} ${instance.name} failed and will retry: ${error.message}`);
  });
};
