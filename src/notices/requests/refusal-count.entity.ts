import { Entity } from 'typeorm';

import { CountColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/**
 * The number of refused calls of an owner in an hour, by error code. The counts are complete; the notes are a sample.
 */
@Entity('refusal_count')
export class RefusalCount {
  @TextColumn({ primary: true }) readonly owner: string;
  @TimeColumn({ primary: true }) readonly hour: Date;
  @TextColumn({ primary: true }) readonly code: string;
  @CountColumn() readonly calls: number;
}
