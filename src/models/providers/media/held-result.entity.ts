import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import {
  BytesColumn,
  ComputedColumn,
  LengthsColumn,
  MicroColumn,
  TextColumn,
  TimeColumn,
} from '#platform/database/columns';

/** The result of a call whose answer contains the pictures. The row stays until the job has had time to store them. */
@Entity('held_result')
export class HeldResult {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly reference: string;
  @TextColumn({ default: 'waiting' }) readonly state: 'waiting' | 'kept' | 'failed';
  /** All pictures, one after the other. */
  @BytesColumn({ nullable: true }) readonly data?: Buffer;
  /** The number of bytes of each picture; absent if there is only one. */
  @LengthsColumn({ nullable: true }) readonly lengths?: readonly number[];
  /** The vendor's bill, if its answer had it. */
  @MicroColumn({ nullable: true }) readonly cost?: Micro;
  @TimeColumn() readonly awaitedUntil: Date;
  @TimeColumn({ nullable: true }) readonly takenAt?: Date;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  /** False if the process that waited for the answer has died, and the answer is lost. */
  @ComputedColumn('boolean', (held) => `${held}.awaited_until > now()`) readonly awaited: boolean;
}
