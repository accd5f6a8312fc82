import { Injectable } from '@nestjs/common';

import { BackgroundWork } from '#platform/background/background-work';
import { Database, type Queries } from '#platform/database/database';
import { KeptState } from '#platform/database/kept-state';
import { Catalog } from '../catalog';
import type { ModelChoice } from './model-choice';
import { CHANNEL, type ChoiceChanges, ModelChoiceRepository } from './model-choice.repository';

/** Applies the operators' changes of models while the service runs, in all processes. */
@Injectable()
export class ModelChoices extends KeptState {
  constructor(
    db: Database,
    private readonly catalog: Catalog,
    private readonly choices: ModelChoiceRepository,
    background: BackgroundWork,
  ) {
    super(db, CHANNEL, background, 'Reading the changes of models');
  }

  async all(): Promise<ReadonlyMap<string, ModelChoice>> {
    return new Map((await this.choices.all()).map(({ modelId, changes }) => [modelId, changes]));
  }

  /** The changes of one model, as the transaction sees them. */
  of(modelId: string, queries: Queries): Promise<ModelChoice> {
    return this.choices.of(modelId, queries);
  }

  /** Stores a change. All processes are notified at the end of the transaction. */
  store(modelId: string, changes: ChoiceChanges, queries: Queries): Promise<void> {
    return this.choices.change(modelId, changes, queries);
  }

  protected async load(): Promise<void> {
    this.catalog.choose(await this.all());
  }
}
