import { Entity } from 'typeorm';

import {
  IntegerColumn,
  JsonColumn,
  SmallintColumn,
  TextColumn,
  TimeColumn,
} from '../platform/database/columns';
import type { Attempt } from '../providers/attempts';

/** The refusal of a call, its failure, or its attempts at several providers, because charges do not store these. */
@Entity('call_note')
export class CallNote {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly owner: string;
  @TextColumn({ nullable: true }) readonly keyId?: string;
  @TextColumn({ nullable: true }) readonly personId?: string;
  /** Absent if the call was refused before any money was held. */
  @TextColumn({ nullable: true }) readonly chargeId?: string;
  /** Method and path, such as `POST /v1/agent/generate`. */
  @TextColumn() readonly route: string;
  @TextColumn({ nullable: true }) readonly operation?: string;
  @TextColumn({ nullable: true }) readonly modelId?: string;
  @TextColumn({ nullable: true }) readonly tag?: string;
  @SmallintColumn() readonly status: number;
  /** The code of the error, if the call failed. */
  @TextColumn({ nullable: true }) readonly code?: string;
  /** From the first byte of the request to the last one of the answer. */
  @IntegerColumn() readonly ms: number;
  @JsonColumn({ default: () => `'[]'` }) readonly attempts: readonly Attempt[];
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
}
