import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

import { Database, type Queries } from '#platform/database/database';
import type { ModelChoice } from './model-choice';
import { StoredChoice } from './model-choice.entity';

export const CHANNEL = 'model_choice';

/** Changes of a choice. Null undoes a change. */
export type ChoiceChanges = { readonly [Name in keyof ModelChoice]?: ModelChoice[Name] | null };

/** The names of the changes. An earlier release also stored unknown fields of the body. */
const NAMES: readonly (keyof ModelChoice)[] = [
  'markup',
  'rates',
  'belowCost',
  'private',
  'adultsOnly',
  'routes',
];
const KNOWN = `(
  select coalesce(jsonb_object_agg(key, value), '{}')
  from jsonb_each(model_choice.changes) where key in (${NAMES.map((name) => `'${name}'`).join(', ')})
)`;

@Injectable()
export class ModelChoiceRepository {
  constructor(
    @InjectRepository(StoredChoice) private readonly choices: Repository<StoredChoice>,
    private readonly db: Database,
  ) {}

  all(): Promise<StoredChoice[]> {
    return this.choices.find({ order: { modelId: 'asc' } });
  }

  async of(modelId: string, queries: Queries): Promise<ModelChoice> {
    const [row] = await queries.rows('select changes from model_choice where model_id = $1', [modelId]);
    return (row?.['changes'] ?? {}) as ModelChoice;
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
        set changes = jsonb_strip_nulls(${KNOWN} || $2), changed_at = now()
        returning model_id
      )
      select pg_notify($3, '') from changed`,
      [modelId, JSON.stringify(changes), CHANNEL],
    );
  }
}
