import { Entity } from 'typeorm';

import { BigintColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/**
 * A snapshot of committed transactions. An event has the position of the first watermark that contains it. `lower` is
 * the oldest transaction that was still open, and `upper` the first one that had not begun.
 */
@Entity('event_watermark')
export class EventWatermark {
  @BigintColumn({ primary: true }) readonly position: bigint;
  @TextColumn() readonly snapshot: string;
  @BigintColumn() readonly lower: bigint;
  @BigintColumn() readonly upper: bigint;
  @TimeColumn({ default: () => 'clock_timestamp()' }) readonly seenAt: Date;
}
