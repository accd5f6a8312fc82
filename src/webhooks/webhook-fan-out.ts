import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';

import { endOfPosition } from '../outbox/event.repository';
import { Events } from '../outbox/events';
import type { BackgroundTask } from '../platform/background/background-task';
import { BackgroundWork } from '../platform/background/background-work';
import { SETTINGS, type Settings } from '../platform/config/settings';
import { WebhookHostQueue } from './webhook-host-queue';
import { WebhookLogRepository } from './webhook-log.repository';

const BATCH = 1_000;

/** Turns events into deliveries as soon as they have their position. */
@Injectable()
export class WebhookFanOut implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly running: BackgroundTask;
  private stop?: () => void;

  constructor(
    private readonly events: Events,
    private readonly log: WebhookLogRepository,
    private readonly hosts: WebhookHostQueue,
    @Inject(SETTINGS) private readonly settings: Settings,
    background: BackgroundWork,
  ) {
    this.running = background.task('Handing events to webhooks', () => this.run());
  }

  onApplicationBootstrap(): void {
    if (this.settings.role !== 'api') this.stop = this.events.onPlaced(() => this.running.wake());
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop?.();
    await this.running.stop();
  }

  /** Runs to the end of the log. Several processes may run at once, because one process gets each batch. */
  async run(): Promise<void> {
    for (let isMore = true; isMore;) {
      const { from, latest, owners, hasDevelopers } = await this.log.look();
      if (from.position >= latest && from.id === '') return;
      const events = owners.length === 0 ? [] : await this.events.between(owners, from, latest, BATCH);
      const members = hasDevelopers ? await this.events.membersOf(events) : new Map<string, string>();
      const isWhole = events.length < BATCH;
      const hosts = await this.log.fanOut(
        from,
        isWhole ? endOfPosition(latest) : events.at(-1)!.cursor,
        events,
        members,
      );
      // Another process was faster with this batch, but it may not have reached the end.
      isMore = hosts === undefined || !isWhole;
      await this.hosts.add(hosts ?? []);
    }
  }
}
