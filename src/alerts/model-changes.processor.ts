import { Inject, Injectable } from '@nestjs/common';

import { Catalog } from '../catalog/catalog';
import { ModelChoices } from '../catalog/choices/model-choices';
import { VendorLists } from '../catalog/listed/vendor-lists';
import type { PriceSettings } from '../catalog/prices.settings';
import { Clock } from '../kernel/clock';
import { SETTINGS } from '../platform/config/settings';
import { ScheduledProcessor } from '../platform/queue/scheduled-processor';
import { modelsNow } from './model-changes';
import { ModelChangesRepository } from './model-changes.repository';

/** Informs owners of a new price or the end of a model that they used. */
@Injectable()
export class ModelChangesProcessor extends ScheduledProcessor {
  readonly name = 'model-changes';
  readonly everyMs = 30_000;
  private isFirst = true;

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
    if (this.isFirst) await Promise.all([this.lists.read(), this.choices.read()]);
    this.isFirst = false;
    const models = modelsNow(this.catalog, this.settings.price);
    await this.changes.announce(models, this.clock.now());
  }
}
