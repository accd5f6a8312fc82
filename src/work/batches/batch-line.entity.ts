import { Entity } from 'typeorm';

import {
  BytesColumn,
  IntegerColumn,
  SmallintColumn,
  TextColumn,
  TimeColumn,
} from '#platform/database/columns';

/** `dropped`: the batch was cancelled before the call began. */
export const LINE_STATES = ['waiting', 'running', 'done', 'failed', 'expired', 'dropped'] as const;
export type LineState = (typeof LINE_STATES)[number];

/** One call of a batch. */
@Entity('batch_line')
export class BatchLine {
  @TextColumn({ primary: true }) readonly batchId: string;
  /** Its line in the input file. */
  @IntegerColumn({ primary: true }) readonly line: number;
  @TextColumn() readonly customId: string;
  @TextColumn() readonly state: LineState;
  @SmallintColumn({ default: 0 }) readonly tries: number;
  /** The number of charges that were refunded because their answer was lost. The next idempotency key contains it. */
  @SmallintColumn({ default: 0 }) readonly refunds: number;
  @TimeColumn({ default: () => 'now()' }) readonly dueAt: Date;
  /** Set while a process works on the call. After this time the process counts as dead. */
  @TimeColumn({ nullable: true }) readonly leaseUntil?: Date;
  /** The line of the answer file, encrypted, and its length. */
  @BytesColumn({ nullable: true }) readonly answer?: Buffer;
  @IntegerColumn({ nullable: true }) readonly answerBytes?: number;
}
