import { Entity } from 'typeorm';

import {
  IntegerColumn,
  JsonColumn,
  SmallintColumn,
  TextColumn,
  TimeColumn,
} from '#platform/database/columns';

/** One message to an endpoint and its answer, for the owner who debugs a receiver. */
@Entity('webhook_try')
export class WebhookTry {
  @TextColumn({ primary: true }) readonly id: string;
  /** An endpoint's id. Tries at the address of a call are not kept, because nothing lists them. */
  @TextColumn() readonly target: string;
  @TextColumn() readonly eventId: string;
  @TextColumn() readonly type: string;
  @TimeColumn({ default: () => 'clock_timestamp()' }) readonly at: Date;
  @IntegerColumn() readonly durationMs: number;
  @SmallintColumn({ nullable: true }) readonly status?: number;
  @TextColumn({ nullable: true }) readonly error?: string;
  /** The sent body, cut to a limit. */
  @TextColumn() readonly payload: string;
  @JsonColumn() readonly sent: Readonly<Record<string, string>>;
  @JsonColumn() readonly received: Readonly<Record<string, string>>;
  /** The beginning of the answer, without control characters. */
  @TextColumn() readonly body: string;
}
