import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

import { Database } from '../../platform/database/database';
import type { ModelChoice } from './model-choice';
import { StoredChoice } from './model-choice.entity';

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

  /** One statement, so that two operators can change different fields of one model at the same time. */
  async change(modelId: string, changes: ChoiceChanges): Promise<void> {
    await this.db.rows(
      `insert into model_choice (model_id, changes) values ($1, jsonb_strip_nulls($2))
       on conflict (model_id) do update
       set changes = jsonb_strip_nulls(model_choice.changes || $2), changed_at = now()`,
      [modelId, JSON.stringify(changes)],
    );
  }
}
