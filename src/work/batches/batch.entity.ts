import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import {
  BytesColumn,
  IntegerColumn,
  JsonColumn,
  MicroColumn,
  SmallintColumn,
  TextColumn,
  TimeColumn,
} from '#platform/database/columns';

/** The states of OpenAI's batches. A batch is `validating` until its money is reserved. */
export const BATCH_STATUSES = [
  'validating',
  'failed',
  'in_progress',
  'completed',
  'expired',
  'cancelling',
  'cancelled',
] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

/** Many calls that run within a day. */
@Entity('batch')
export class Batch {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly owner: string;
  /** The delegated key that created it: that key sees no other batch. */
  @TextColumn({ nullable: true }) readonly keyId?: string;
  /** The delegated key that pays its calls. Its reserve is the hold of the batch. */
  @TextColumn() readonly payingKeyId: string;
  @TextColumn() readonly endpoint: string;
  @TextColumn() readonly inputFileId: string;
  /** The input file until the batch has ended. A foreign key keeps this file. */
  @TextColumn({ nullable: true, select: false }) readonly openFileId?: string;
  @TextColumn({ nullable: true }) readonly outputFileId?: string;
  @TextColumn({ nullable: true }) readonly errorFileId?: string;
  @TextColumn() readonly status: BatchStatus;
  @JsonColumn({ nullable: true }) readonly metadata?: Readonly<Record<string, string>>;
  @MicroColumn() readonly held: Micro;
  @SmallintColumn() readonly discountPercent: number;
  @IntegerColumn() readonly total: number;
  /** The caller's idempotency key, if the call has one. */
  @TextColumn({ nullable: true }) readonly mark?: string;
  @BytesColumn() readonly fingerprint: Buffer;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn() readonly expiresAt: Date;
  @TimeColumn({ nullable: true }) readonly startedAt?: Date;
  @TimeColumn({ nullable: true }) readonly cancellingAt?: Date;
  @TimeColumn({ nullable: true }) readonly endedAt?: Date;
}
