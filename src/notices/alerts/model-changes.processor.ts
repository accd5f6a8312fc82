import { createHash } from 'node:crypto';

import { Inject, Injectable } from '@nestjs/common';

import { Catalog } from '#models/catalog/catalog';
import { ModelChoices } from '#models/catalog/choices/model-choices';
import { VendorLists } from '#models/catalog/listed/vendor-lists';
import type { CatalogFile } from '#models/catalog/catalog-entries';
import type { CatalogSettings } from '#models/catalog/catalog.settings';
import type { PriceSettings } from '#models/catalog/prices.settings';
import { Clock } from '#kernel/clock';
import { packageVersion } from '#platform/config/package-version';
import { type CommonSettings, SETTINGS } from '#platform/config/settings';
import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { modelsNow } from './model-changes';
import { ModelChangesRepository } from './model-changes.repository';

const RUN_MS_MAX = 20_000;
/** A price that another release announced within the last hour is compared again later. */
const COMPARE_EVERY_MS = 600_000;

/** Processes with the same release and the same settings have the same prices. */
const sourceOf = (
  {
    price,
    catalog,
    catalogOnly,
    catalogWithout,
    providers,
  }: CommonSettings & CatalogSettings & PriceSettings,
  file: CatalogFile,
): string => {
  const on = providers.filter(({ isOn }) => isOn).map(({ name }) => name);
  const facts = [packageVersion(), price, catalog, catalogOnly, catalogWithout, on, file];
  const text = JSON.stringify(facts, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return createHash('sha256').update(text).digest('hex');
};

/** Informs owners of a new price or the end of a model that they used. */
@Injectable()
export class ModelChangesProcessor extends ScheduledProcessor {
  readonly name = 'model-changes';
  readonly everyMs = 30_000;
  /** The state of the catalog that was compared last, and when. */
  private compared?: { readonly revision: number; readonly at: number };
  private readonly source: string;

  constructor(
    private readonly catalog: Catalog,
    private readonly lists: VendorLists,
    private readonly choices: ModelChoices,
    private readonly changes: ModelChangesRepository,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: CommonSettings & CatalogSettings & PriceSettings,
  ) {
    super();
    this.source = sourceOf(settings, catalog.file);
  }

  async run(): Promise<void> {
    const until = performance.now() + RUN_MS_MAX;
    await this.compare();
    while (performance.now() < until && (await this.changes.inform())) {
      // A model whose owners were just informed may have changed again.
      this.compared = undefined;
    }
  }

  /** A catalog of thousands of models is compared only after a change. */
  private async compare(): Promise<void> {
    const { revision } = this.catalog;
    const at = performance.now();
    if (this.compared?.revision === revision && at < this.compared.at + COMPARE_EVERY_MS) return;
    await this.changes.store(this.source, this.clock.now(), async () => {
      await Promise.all([this.lists.read(), this.choices.read()]);
      return modelsNow(this.catalog, this.settings.price);
    });
    this.compared = { revision, at };
  }
}
