import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';

import { endOf } from '../events/log/event.repository';
import { Events } from '../events/log/events';
import { SETTINGS, type Settings } from '../platform/config/settings';
import { WebhookBell } from './webhook-bell';
import { WebhookLogRepository } from './webhook-log.repository';

const BATCH = 1_000;

/** Turns what stands in the event log into deliveries, as soon as it has its place there. */
@Injectable()
export class WebhookFanOut implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookFanOut.name);
  private running?: Promise<void>;
  private again = false;
  private stop?: () => void;

  constructor(
    private readonly events: Events,
    private readonly log: WebhookLogRepository,
    private readonly bell: WebhookBell,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  onApplicationBootstrap(): void {
    if (this.settings.role !== 'api') this.stop = this.events.onPlaced(() => this.soon());
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop?.();
    this.again = false;
    await this.running;
  }

  /** As far as the log went. Several processes may do so at once: each batch is one process's. */
  async run(): Promise<void> {
    for (let isMore = true; isMore;) {
      const { from, latest, owners } = await this.log.look();
      if (from.position >= latest && from.id === '') return;
      const events = owners.length === 0 ? [] : await this.events.between(owners, from, latest, BATCH);
      const isWhole = events.length < BATCH;
      const hosts = await this.log.fanOut(from, isWhole ? endOf(latest) : events.at(-1)!.place, events);
      // Another process was faster, and may not have come as far.
      isMore = hosts === undefined || !isWhole;
      await this.bell.ring(hosts ?? []);
    }
  }

  private soon(): void {
    if (this.running !== undefined) {
      this.again = true;
      return;
    }
    this.running = this.run()
      .catch((error: unknown) =>
        this.logger.warn(
          { err: error },
          'Events could not be handed to webhooks yet; the next look does it.',
        ),
      )
      .then(() => {
        this.running = undefined;
        if (!this.again) return;
        this.again = false;
        this.soon();
      });
  }
}
