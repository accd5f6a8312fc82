import { Entity } from 'typeorm';

import {
  BytesColumn,
  ComputedColumn,
  CountColumn,
  IntegerColumn,
  RealColumn,
  TextColumn,
  TimeColumn,
} from '#platform/database/columns';
import type { MediaKind } from '#models/providers/media-mode';

/** One asset of an owner's library. */
@Entity('reference')
export class Reference {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly owner: string;
  @TextColumn() readonly kind: MediaKind;
  @TextColumn() readonly mime: string;
  @CountColumn() readonly bytes: number;
  /** The duration, for videos. */
  @RealColumn({ nullable: true }) readonly seconds?: number;
  @TextColumn({ nullable: true }) readonly label?: string;
  @BytesColumn({ select: false }) readonly sha256?: Buffer;
  @TextColumn() readonly blobKey: string;
  /** The space of the vector. Empty until an embedder has processed the reference. */
  @TextColumn({ default: '' }) readonly embedder: string;
  @BytesColumn({ nullable: true, select: false }) readonly vector?: Buffer;
  @ComputedColumn('boolean', (reference) => `${reference}.vector is not null`) readonly hasVector: boolean;
  @TimeColumn({ default: () => 'now()', select: false }) readonly embedAt?: Date;
  @IntegerColumn({ default: 0, select: false }) readonly embedTries?: number;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  /** The idempotency key and the fingerprint of the call that stored it. */
  @TextColumn({ nullable: true, select: false }) readonly mark?: string;
  @BytesColumn({ nullable: true, select: false }) readonly madeBy?: Buffer;
  /** Set if the owner has never paid: the end of the day for which the reference is kept. */
  @TimeColumn({ nullable: true, select: false }) readonly freeUntil?: Date;
  @TextColumn({ nullable: true, select: false }) readonly freeCaller?: string;
  /** Whether the owner had never paid when the reference was stored. */
  @ComputedColumn('boolean', (reference) => `${reference}.free_until is not null`) readonly isFree: boolean;
}
