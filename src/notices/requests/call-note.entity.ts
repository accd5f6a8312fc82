import { Entity } from 'typeorm';

import {
  IntegerColumn,
  JsonColumn,
  SmallintColumn,
  TextColumn,
  TimeColumn,
} from '#platform/database/columns';
import type { Attempt } from '#models/providers/attempts';

/**
 * A note about a call that was refused, failed, or had attempts at several providers. Charges do not store these facts.
 */
@Entity('call_note')
export class CallNote {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly owner: string;
  @TextColumn({ nullable: true }) readonly keyId?: string;
  @TextColumn({ nullable: true }) readonly personId?: string;
  /** Absent if the service refused the call before it held any money. */
  @TextColumn({ nullable: true }) readonly chargeId?: string;
  /** Method and path, such as `POST /v1/agent/generate`. */
  @TextColumn() readonly route: string;
  @TextColumn({ nullable: true }) readonly operation?: string;
  @TextColumn({ nullable: true }) readonly modelId?: string;
  @TextColumn({ nullable: true }) readonly tag?: string;
  @SmallintColumn() readonly status: number;
  /** The code of the error, if the call failed. */
  @TextColumn({ nullable: true }) readonly code?: string;
  /** The time from the first byte of the request to the last byte of the answer. */
  @IntegerColumn() readonly ms: number;
  @JsonColumn({ default: () => `'[]'` }) readonly attempts: readonly Attempt[];
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
}
