import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Registry, register } from 'prom-client';

import { within } from '#kernel/deadline';

/** The longest time for which a scrape waits for values that are read on demand. */
const READ_MS_MAX = 1_000;

/**
 * The page of all metrics. A feature's `*.metrics.ts` makes its own, in the registry of this application. The page shows
 * them together with prom-client's global registry, to which a `new Counter({ … })` of any module adds itself.
 */
@Injectable()
export class Metrics implements OnApplicationBootstrap {
  private readonly logger = new Logger(Metrics.name);
  private readonly fillers = new Set<() => Promise<void> | void>();

  constructor(private readonly registry: Registry) {}

  readonly contentType = register.contentType;

  /** Prometheus refuses a whole page if two metrics have the same name. */
  onApplicationBootstrap(): void {
    const twice = register.getMetricsAsArray().find(({ name }) => this.registry.getSingleMetric(name));
    if (twice !== undefined) throw new Error(`Two metrics have the name ${twice.name}.`);
  }

  /**
   * Registers a function that runs before each scrape. It is for values that are read from their source instead of
   * counted.
   */
  beforeScrape(fill: () => Promise<void> | void): void {
    this.fillers.add(fill);
  }

  async text(): Promise<string> {
    await Promise.all([...this.fillers].map((fill) => this.inTime(fill)));
    const families = [this.registry, register].flatMap((registry) =>
      registry
        .getMetricsAsArray()
        .map(({ name }) => this.inTime(() => registry.getSingleMetricAsString(name))),
    );
    const texts = (await Promise.all(families)).filter((text) => text !== undefined);
    return `${texts.join('\n\n')}\n`;
  }

  /** Undefined if reading fails or takes too long, so that one unreadable value does not hide the others. */
  private async inTime<T>(read: () => Promise<T> | T): Promise<T | undefined> {
    const done = (async () => read())().catch((error: unknown) => {
      this.logger.warn({ err: error }, 'A metric could not be read.');
      return undefined;
    });
    return within(READ_MS_MAX, done, () => undefined);
  }
}
