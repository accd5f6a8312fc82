import { Entity } from 'typeorm';

import { SmallintColumn, TextColumn, TimeColumn } from '../database/columns';

/** A row that a sweep leaves out until `retryAt`, so that rows which fail move behind the others. */
@Entity('sweep_pause')
export class SweepPause {
  @TextColumn({ primary: true }) readonly sweep: string;
  @TextColumn({ primary: true }) readonly id: string;
  /** 0 if the row only waits for something, and has not failed. */
  @SmallintColumn({ default: 0 }) readonly failures: number;
  @TimeColumn() readonly retryAt: Date;
}
