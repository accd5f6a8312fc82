import { Entity } from 'typeorm';

import {
  BigintColumn,
  BooleanColumn,
  CountColumn,
  IntegerColumn,
  TextColumn,
  TimeColumn,
} from '#platform/database/columns';

/**
 * A log of this deployment. Only the newest log grows. Each earlier one ended when the database was restored to an
 * earlier time.
 */
@Entity('transparency_log')
export class TransparencyLog {
  @IntegerColumn({ primary: true }) readonly id: number;
  /** A random mark by which a log recognises its own signed head in the blob store. */
  @TextColumn() readonly mark: string;
  @TextColumn() readonly origin: string;
  /** The last signed checkpoint of the previous log. */
  @TextColumn({ nullable: true }) readonly follows?: string;
  @CountColumn({ default: 0 }) readonly size: number;
  /** All rows of transactions below this number are sealed. */
  @BigintColumn() readonly since: bigint;
  /** Cursors: accounts and charges from before the log are sealed up to these ids. */
  @TextColumn({ default: '' }) readonly accountCursor: string;
  @TextColumn({ default: '' }) readonly chargeCursor: string;
  @BooleanColumn({ default: false }) readonly isCaughtUp: boolean;
  @CountColumn({ default: 0 }) readonly publishedSize: number;
  /** The signed checkpoint of `publishedSize`, with the cosignatures that have arrived. */
  @TextColumn({ nullable: true }) readonly note?: string;
  @TimeColumn({ nullable: true }) readonly publishedAt?: Date;
}
