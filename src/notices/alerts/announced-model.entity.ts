import { Entity } from 'typeorm';

import { JsonColumn, TextColumn, TimeColumn } from '#platform/database/columns';
import type { AnnouncedFacts } from './model-changes';

/** The facts of a model that owners know. */
@Entity('announced_model')
export class AnnouncedModel {
  @TextColumn({ primary: true }) readonly modelId: string;
  @JsonColumn() readonly facts: AnnouncedFacts;
  /** Absent until the first change. */
  @TimeColumn({ nullable: true }) readonly changedAt?: Date;
  /** The release and the settings of the process that saw this change. */
  @TextColumn({ nullable: true }) readonly source?: string;
  /** The data of the event, while owners are informed. */
  @JsonColumn({ nullable: true }) readonly pending?: object;
  /** The owners of calls before this time are informed. Absent if all are. */
  @TimeColumn({ nullable: true }) readonly informedTo?: Date;
}
