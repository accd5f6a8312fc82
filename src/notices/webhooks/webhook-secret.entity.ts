import { Entity } from 'typeorm';

import { BytesColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/**
 * A secret that signs an endpoint's messages, beside our own key. It is encrypted and not hashed, because signing needs
 * it.
 */
@Entity('webhook_secret')
export class WebhookSecret {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly endpointId: string;
  @BytesColumn() readonly sealed: Buffer;
  @TimeColumn({ default: () => 'clock_timestamp()' }) readonly createdAt: Date;
  /** The time until which a previous secret signs; absent for the newest one. */
  @TimeColumn({ nullable: true }) readonly signsUntil?: Date;
  /** The idempotency key of the rotation that made it. */
  @TextColumn({ nullable: true, select: false }) readonly mark?: string;
  @BytesColumn({ nullable: true, select: false }) readonly madeBy?: Buffer;
}
