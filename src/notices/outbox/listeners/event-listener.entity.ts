import { Entity } from 'typeorm';

import { BigintColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** The position up to which a listener has got the events. The process with the lease continues. */
@Entity('event_listener')
export class EventListener {
  @TextColumn({ primary: true }) readonly name: string;
  @BigintColumn() readonly position: bigint;
  @BigintColumn() readonly written: bigint;
  @TextColumn() readonly eventId: string;
  @TextColumn({ nullable: true }) readonly holder?: string;
  @TimeColumn({ nullable: true }) readonly leaseUntil?: Date;
}
