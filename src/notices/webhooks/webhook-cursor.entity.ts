import { Entity } from 'typeorm';

import { BigintColumn, SmallintColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** The position up to which events have become deliveries, in one row. The process that holds its lock continues. */
@Entity('webhook_cursor')
export class WebhookCursor {
  @SmallintColumn({ primary: true, default: 1 }) readonly id: number;
  @BigintColumn() readonly position: bigint;
  @BigintColumn() readonly written: bigint;
  @TextColumn() readonly eventId: string;
  @TimeColumn({ default: () => 'now()' }) readonly movedAt: Date;
}
