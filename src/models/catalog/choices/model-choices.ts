import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

import type { BackgroundTask } from '#platform/background/background-task';
import { BackgroundWork } from '#platform/background/background-work';
import { Database, type Queries } from '#platform/database/database';
import { Catalog } from '../catalog';
import type { ModelChoice } from './model-choice';
import { CHANNEL, type ChoiceChanges, ModelChoiceRepository } from './model-choice.repository';

/** Applies the operators' changes of models while the service runs, in all processes. */
@Injectable()
export class ModelChoices implements OnApplicationBootstrap, OnApplicationShutdown {
  private stop?: () => Promise<void>;
  private reading: Promise<void> = Promise.resolve();
  private readonly looking: BackgroundTask;

  constructor(
    private readonly db: Database,
    private readonly catalog: Catalog,
    private readonly choices: ModelChoiceRepository,
    background: BackgroundWork,
  ) {
    this.looking = background.task('Reading the changes of models', () => this.read());
  }

  async onApplicationBootstrap(): Promise<void> {
    const look = (): void => this.looking.wake();
    this.stop = await this.db.listen(CHANNEL, look, look);
    await this.read();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stop?.();
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

  /** Readings run one after the other. Otherwise the result of an older reading could be applied last. */
  read(): Promise<void> {
    const look = async (): Promise<void> => this.catalog.choose(await this.all());
    this.reading = this.reading.then(look, look);
    return this.reading;
  }
}
