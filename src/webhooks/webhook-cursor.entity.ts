import { Entity } from 'typeorm';

import { BigintColumn, SmallintColumn, TextColumn, TimeColumn } from '../platform/database/columns';

/** How far the log has been turned into deliveries. One row: whoever holds its lock does so. */
@Entity('webhook_cursor')
export class WebhookCursor {
  @SmallintColumn({ primary: true, default: 1 }) readonly id: number;
  @BigintColumn() readonly position: bigint;
  @BigintColumn() readonly written: bigint;
  @TextColumn() readonly eventId: string;
  @TimeColumn({ default: () => 'now()' }) readonly movedAt: Date;
}
