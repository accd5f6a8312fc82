import { Entity } from 'typeorm';

import { JsonColumn, TextColumn, TimeColumn } from '#platform/database/columns';
import type { ModelChoice } from './model-choice';

/** An operator's changes of a model, until another change undoes them. */
@Entity('model_choice')
export class StoredChoice {
  @TextColumn({ primary: true }) readonly modelId: string;
  @JsonColumn() readonly changes: ModelChoice;
  @TimeColumn({ default: () => 'now()' }) readonly changedAt: Date;
}
