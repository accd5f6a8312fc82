import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';

import { Clock } from '#kernel/clock';
import { type Micro, ceilDiv, larger, micro } from '#kernel/money';
import type { BackgroundTask } from '#platform/background/background-task';
import { BackgroundWork } from '#platform/background/background-work';
import { groupBy } from '#kernel/maps';
import type { UnitCost } from '#models/providers/media-provider';
import type { ProviderName } from '#models/providers/provider-name';
import { Providers } from '#models/providers/providers';
import { Catalog } from './catalog';
import type { MediaModel } from './catalog-models';
import { SETTINGS } from '#platform/config/settings';
import type { CatalogSettings } from './catalog.settings';
import type { ProcessSettings } from '#platform/config/process.settings';
import type { PriceSettings } from './prices.settings';
import { unmarked } from './rates';

const REFRESH_MS = 300_000;
const RETRY_MS_MAX = 60_000;
const ASK_MS_MAX = 10_000;
/** A price that the provider has not confirmed for this long is no longer live. */
const FRESH_MS = 1_800_000;
/** The rate card is the catalog's costs. A price this many times above or below it is a mistake, so it is not used. */
const PLAUSIBLE_TIMES = 4n;

interface LiveCost {
  /** The route whose provider reported it. */
  readonly route: string;
  readonly costs: ReadonlyMap<string, Micro>;
  readonly asOf: number;
}

const firstRouteOf = ({ routes: [route] }: MediaModel): string => `${route?.provider} ${route?.model}`;

/** The highest known cost of a tier at the other routes. A failover must not sell below it. */
const dearestCost = ({ routes }: MediaModel, tier: string): Micro =>
  routes
    .slice(1)
    .map(({ costs }) => costs?.get(tier) ?? costs?.get('default') ?? micro(0n))
    .reduce(larger, micro(0n));

/**
 * The present costs of models at their first route, if the provider of that route reports costs. A provider reports one
 * price for each model, so all tiers of the rate card change in proportion. A background task reads the prices: no call
 * waits, and all calls have the same price until the next reading.
 */
@Injectable()
export class LiveCosts implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(LiveCosts.name);
  private readonly known = new Map<string, LiveCost>();
  private readonly refreshing: BackgroundTask;
  /** Grows whenever a cost may have changed. */
  revision = 0;

  constructor(
    private readonly catalog: Catalog,
    private readonly providers: Providers,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: CatalogSettings & PriceSettings & ProcessSettings,
    background: BackgroundWork,
  ) {
    this.refreshing = background.task('Reading live costs', () => this.refreshOrFail(), {
      everyMs: REFRESH_MS,
      pauseMsMax: RETRY_MS_MAX,
    });
  }

  /** The start does not wait for the first answer. Before this answer, the rate card applies. */
  onApplicationBootstrap(): void {
    if (!this.settings.liveCosts || this.settings.role === 'worker' || this.modelsByProvider().length === 0)
      return;
    this.refreshing.wake();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.refreshing.stop();
  }

  /** The costs of a model by tier, and whether they are the provider's present costs. */
  of(model: MediaModel): { readonly costs: ReadonlyMap<string, Micro>; readonly live: boolean } {
    const known = this.known.get(model.id);
    return known === undefined || known.route !== firstRouteOf(model)
      ? { costs: model.costs, live: false }
      : { costs: known.costs, live: true };
  }

  /** Asks every provider, and returns the errors. */
  async refresh(): Promise<readonly Error[]> {
    const now = this.clock.now().getTime();
    const failures: Error[] = [];
    for (const [name, models] of this.modelsByProvider()) {
      const provider = this.providers.media(name);
      try {
        const names = [...new Set(models.map(({ routes }) => routes[0]?.model ?? ''))];
        const reported = await provider?.unitCosts?.(names, AbortSignal.timeout(ASK_MS_MAX));
        for (const model of models) this.learn(model, reported?.get(model.routes[0]?.model ?? ''), now);
      } catch (error) {
        failures.push(
          new Error(`${name} returns no costs; the last known costs apply for a while`, { cause: error }),
        );
      }
    }
    for (const [id, { asOf }] of this.known) {
      if (now - asOf > FRESH_MS) this.known.delete(id);
    }
    this.revision += 1;
    return failures;
  }

  private async refreshOrFail(): Promise<void> {
    const [failure] = await this.refresh();
    if (failure !== undefined) throw failure;
  }

  private learn(model: MediaModel, reported: UnitCost | undefined, now: number): void {
    if (reported === undefined || reported.unit !== model.unit) return;
    const card = model.costs.get('default');
    if (card === undefined) return;
    if (reported.cost > card * PLAUSIBLE_TIMES || reported.cost * PLAUSIBLE_TIMES < card) {
      this.logger.error(
        { model: model.id, reportedMicro: reported.cost.toString(), cardMicro: card.toString() },
        'A live cost is too far from the rate card, so the card applies. Check the catalog file.',
      );
      this.known.delete(model.id);
      return;
    }
    const costs = [...model.costs].map(([tier, cost]) => {
      // With a markup of its own, a model has the vendor's prices. The report may be that of a smaller size or quality.
      const least = model.markup === undefined ? micro(0n) : cost;
      const live = larger(least, micro(ceilDiv(cost * reported.cost, card)));
      return [
        tier,
        larger(live, unmarked(dearestCost(model, tier), model.markup ?? this.settings.price.mediaMarkup)),
      ] as const;
    });
    this.known.set(model.id, { route: firstRouteOf(model), costs: new Map(costs), asOf: now });
  }

  /**
   * The models to ask for, by the provider of their first route. A provider that does not know a model of the book may refuse
   * the whole question, so these are asked for apart.
   */
  private modelsByProvider(): readonly (readonly [provider: ProviderName, models: readonly MediaModel[]])[] {
    const known = [...this.catalog.media.values()].filter(
      ({ routes: [route] }) =>
        route !== undefined && this.providers.media(route.provider)?.unitCosts !== undefined,
    );
    const questions = groupBy(known, ({ routes, isListed }) => `${routes[0]?.provider} ${isListed === true}`);
    return [...questions.values()].map((models) => [models[0]!.routes[0]!.provider, models]);
  }
}
