import { Entity } from 'typeorm';

import {
  BooleanColumn,
  BytesColumn,
  JsonColumn,
  SmallintColumn,
  TextColumn,
  TimeColumn,
} from '#platform/database/columns';
import type { EventType } from '#notices/outbox/event-types';

/** The reason why an endpoint is disabled. */
export type DisabledReason = 'owner' | 'failing' | 'gone' | 'maker';

/** An address that receives the events of an owner. Its secrets are in a separate table. */
@Entity('webhook_endpoint')
export class WebhookEndpoint {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly owner: string;
  /** The key that set its address. The endpoint ends with this key. Absent for a session or a wallet. */
  @TextColumn({ nullable: true }) readonly keyId?: string;
  /** The member of an organisation that set it; absent for the account's own person. */
  @TextColumn({ nullable: true }) readonly memberId?: string;
  /** Its number among the ten endpoints of an owner. */
  @SmallintColumn({ name: 'place', select: false }) readonly slot?: number;
  @TextColumn() readonly url: string;
  /** The host of the address, which rate limits count. */
  @TextColumn() readonly host: string;
  /** Absent if it receives all types, including future ones. */
  @JsonColumn({ nullable: true }) readonly types?: readonly EventType[];
  @BooleanColumn({ default: true }) readonly enabled: boolean;
  @TextColumn({ nullable: true }) readonly disabledReason?: DisabledReason;
  /** It receives events from this time on. */
  @TimeColumn({ default: () => 'now()' }) readonly enabledAt: Date;
  /** The time since which every try has failed; absent after a success. */
  @TimeColumn({ nullable: true }) readonly failingSince?: Date;
  /** Until then the receiver has asked for no deliveries. */
  @TimeColumn({ name: 'rest_until', nullable: true, select: false }) readonly pausedUntil?: Date;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  /** The idempotency key and the fingerprint of the call that made it. */
  @TextColumn({ nullable: true, select: false }) readonly mark?: string;
  @BytesColumn({ nullable: true, select: false }) readonly madeBy?: Buffer;
}
