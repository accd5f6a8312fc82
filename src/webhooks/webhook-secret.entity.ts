import { Entity } from 'typeorm';

import { BytesColumn, TextColumn, TimeColumn } from '../platform/database/columns';

/** What an endpoint's messages are signed with, beside our own key. Sealed, because it must be read again. */
@Entity('webhook_secret')
export class WebhookSecret {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly endpointId: string;
  @BytesColumn() readonly sealed: Buffer;
  @TimeColumn({ default: () => 'clock_timestamp()' }) readonly createdAt: Date;
  /** Absent of the newest one. Those before it sign until then. */
  @TimeColumn({ nullable: true }) readonly signsUntil?: Date;
  /** The mark of the call that made it, where that was a rotation. */
  @TextColumn({ nullable: true, select: false }) readonly mark?: string;
  @BytesColumn({ nullable: true, select: false }) readonly madeBy?: Buffer;
}
