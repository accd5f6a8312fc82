import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';

import { endOfPosition } from '#notices/outbox/event.repository';
import { Events } from '#notices/outbox/events';
import type { BackgroundTask } from '#platform/background/background-task';
import { BackgroundWork } from '#platform/background/background-work';
import { DatabaseUnavailable } from '#platform/database/database.errors';
import { WebhookHostQueue } from './webhook-host-queue';
import { type Batch, WebhookLogRepository } from './webhook-log.repository';
import { SETTINGS } from '#platform/config/settings';
import type { ProcessSettings } from '#platform/config/process.settings';

const BATCH = 1_000;

/** Turns events into deliveries as soon as they have their position. */
@Injectable()
export class WebhookFanOut implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookFanOut.name);
  private readonly running: BackgroundTask;
  private stop?: () => void;

  constructor(
    private readonly events: Events,
    private readonly log: WebhookLogRepository,
    private readonly hosts: WebhookHostQueue,
    @Inject(SETTINGS) private readonly settings: ProcessSettings,
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
      const { from, latest, owners, hasDevelopers } = await this.log.unread();
      if (from.position >= latest && from.id === '') return;
      const events = owners.length === 0 ? [] : await this.events.between(owners, from, latest, BATCH);
      const members = hasDevelopers ? await this.events.membersOf(events) : new Map<string, string>();
      const isWhole = events.length < BATCH;
      const to = isWhole ? endOfPosition(latest) : events.at(-1)!.cursor;
      const hosts = await this.hand({ from, to, events, members });
      // Another process was faster with this batch, but it may not have reached the end.
      isMore = hosts === undefined || !isWhole;
      await this.hosts.add(hosts ?? []);
    }
  }

  /** If the statement fails, each event is handed over alone, and those that fail are left out. */
  private async hand(batch: Batch): Promise<readonly string[] | undefined> {
    try {
      return await this.log.fanOut(batch);
    } catch (error) {
      if (error instanceof DatabaseUnavailable || batch.events.length === 0) throw error;
      this.logger.warn(
        { err: error },
        'Events could not be handed to webhooks together, so each goes alone.',
      );
      return this.handOneByOne(batch);
    }
  }

  private async handOneByOne({ from, to, events, members }: Batch): Promise<readonly string[] | undefined> {
    const hosts = new Set<string>();
    let at = from;
    for (const [index, event] of events.entries()) {
      const alone = { from: at, to: index === events.length - 1 ? to : event.cursor, members };
      const due =
        (await this.log.fanOut({ ...alone, events: [event] }).catch((error: unknown) => {
          if (error instanceof DatabaseUnavailable) throw error;
          this.logger.error({ err: error, eventId: event.id }, 'No webhook gets this event.');
        })) ?? (await this.log.fanOut({ ...alone, events: [] }));
      if (due === undefined) return undefined;
      for (const host of due) hosts.add(host);
      at = alone.to;
    }
    return [...hosts];
  }
}
