import { Inject, Injectable } from '@nestjs/common';

import { Catalog } from '#models/catalog/catalog';
import { ModelChoices } from '#models/catalog/choices/model-choices';
import { VendorLists } from '#models/catalog/listed/vendor-lists';
import type { PriceSettings } from '#models/catalog/prices.settings';
import { Clock } from '#kernel/clock';
import { SETTINGS } from '#platform/config/settings';
import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { modelsNow } from './model-changes';
import { ModelChangesRepository } from './model-changes.repository';

const RUN_MS_MAX = 20_000;
/** A price that was announced within the last hour is compared again later. */
const COMPARE_EVERY_MS = 600_000;

/** Informs owners of a new price or the end of a model that they used. */
@Injectable()
export class ModelChangesProcessor extends ScheduledProcessor {
  readonly name = 'model-changes';
  readonly everyMs = 30_000;
  /** The state of the catalog that was compared last, and when. */
  private compared?: { readonly revision: number; readonly at: number };

  constructor(
    private readonly catalog: Catalog,
    private readonly lists: VendorLists,
    private readonly choices: ModelChoices,
    private readonly changes: ModelChangesRepository,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: PriceSettings,
  ) {
    super();
  }

  async run(): Promise<void> {
    // The first run may come before the start has read them, and would announce prices without them.
    if (this.compared === undefined) await Promise.all([this.lists.read(), this.choices.read()]);
    await this.compare();
    const until = performance.now() + RUN_MS_MAX;
    while (performance.now() < until && (await this.changes.inform()));
  }

  /** A catalog of thousands of models is compared only after a change. */
  private async compare(): Promise<void> {
    const { revision } = this.catalog;
    const at = performance.now();
    if (this.compared?.revision === revision && at < this.compared.at + COMPARE_EVERY_MS) return;
    await this.changes.store(modelsNow(this.catalog, this.settings.price), this.clock.now());
    this.compared = { revision, at };
  }
}
