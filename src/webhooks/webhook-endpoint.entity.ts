import { Entity } from 'typeorm';

import {
  BooleanColumn,
  BytesColumn,
  JsonColumn,
  SmallintColumn,
  TextColumn,
  TimeColumn,
} from '../platform/database/columns';
import type { EventType } from '../outbox/event-types';

/** Why an endpoint is told nothing any more. */
export type DisabledReason = 'owner' | 'failing' | 'gone' | 'maker';

/** Where an owner wants to be told of events. Its secrets stand apart. */
@Entity('webhook_endpoint')
export class WebhookEndpoint {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly owner: string;
  /** The key that gave it its address, and with which it ends; absent where a session or a wallet did. */
  @TextColumn({ nullable: true }) readonly keyId?: string;
  /** The member of an organisation that did; absent for the account's own person. */
  @TextColumn({ nullable: true }) readonly memberId?: string;
  /** One of the ten that an owner has. */
  @SmallintColumn({ select: false }) readonly place?: number;
  @TextColumn() readonly url: string;
  /** Of the address, as limits count it. */
  @TextColumn() readonly host: string;
  /** Absent where all are wanted, those included that there will be one day. */
  @JsonColumn({ nullable: true }) readonly types?: readonly EventType[];
  @BooleanColumn({ default: true }) readonly enabled: boolean;
  @TextColumn({ nullable: true }) readonly disabledReason?: DisabledReason;
  /** It is told of what happens from then on. */
  @TimeColumn({ default: () => 'now()' }) readonly enabledAt: Date;
  /** Since when every try has failed; absent while it works. */
  @TimeColumn({ nullable: true }) readonly failingSince?: Date;
  /** Until then it has asked to be left alone. */
  @TimeColumn({ nullable: true, select: false }) readonly restUntil?: Date;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  /** The mark of the call that made it, and what that call looked like. */
  @TextColumn({ nullable: true, select: false }) readonly mark?: string;
  @BytesColumn({ nullable: true, select: false }) readonly madeBy?: Buffer;
}
