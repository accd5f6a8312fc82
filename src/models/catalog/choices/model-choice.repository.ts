import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

import { Database, type Queries } from '#platform/database/database';
import type { ModelChoice } from './model-choice';
import { StoredChoice } from './model-choice.entity';

export const CHANNEL = 'model_choice';

/** Changes of a choice. Null undoes a change. */
export type ChoiceChanges = { readonly [Name in keyof ModelChoice]?: ModelChoice[Name] | null };

@Injectable()
export class ModelChoiceRepository {
  constructor(
    @InjectRepository(StoredChoice) private readonly choices: Repository<StoredChoice>,
    private readonly db: Database,
  ) {}

  all(): Promise<StoredChoice[]> {
    return this.choices.find({ order: { modelId: 'asc' } });
  }

  /**
   * One statement, so that two operators can change different fields of one model at the same time. It also notifies all
   * processes, so that none misses a stored change.
   */
  async change(modelId: string, changes: ChoiceChanges, queries: Queries = this.db): Promise<void> {
    await queries.rows(
      `with changed as (
        insert into model_choice (model_id, changes) values ($1, jsonb_strip_nulls($2))
        on conflict (model_id) do update
        set changes = jsonb_strip_nulls(model_choice.changes || $2), changed_at = now()
        returning model_id
      )
      select pg_notify($3, '') from changed`,
      [modelId, JSON.stringify(changes), CHANNEL],
    );
  }
}
