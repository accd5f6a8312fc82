import { Entity } from 'typeorm';

import { BigintColumn, JsonColumn, TextColumn, TimeColumn } from '#platform/database/columns';
import type { EventType } from './event-types';

/** A fact about an owner's object. The statement that makes the fact writes the event, which never changes. */
@Entity('event')
export class Event {
  @TextColumn({ primary: true }) readonly id: string;
  /** The account's id, or the wallet in lower case. */
  @TextColumn() readonly owner: string;
  @TextColumn() readonly type: EventType;
  /** The object's row at that time, without prompts and addresses. */
  @JsonColumn() readonly data: Readonly<Record<string, unknown>>;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  /** The transaction that wrote it. */
  @BigintColumn({ default: () => '((pg_current_xact_id())::text)' }) readonly written: bigint;
}
