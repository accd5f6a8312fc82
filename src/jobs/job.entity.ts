import { Entity } from 'typeorm';

import type { ChargeState, RailName } from '../billing/charges/charge.entity';
import {
  BooleanColumn,
  ComputedColumn,
  IntegerColumn,
  JsonColumn,
  SmallintColumn,
  TextColumn,
  TimeColumn,
} from '../platform/database/columns';
import type { MediaKind } from '../platform/media/media-kind';
import type { ProviderName } from '../providers/provider-name';

/** Above what asking a provider to cancel may take, and writing down what it said. */
export const CANCEL_SECONDS_MAX = 30;

export const JOB_STATUSES = ['running', 'done', 'failed'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** A reference of the caller's library that a job works from. */
export interface UsedReference {
  readonly id: string;
  readonly input: 'image' | 'image2' | 'video';
  /** How close it is to the prompt; absent where the caller pinned it. */
  readonly score?: number;
}

/** What makes a medium: work at a provider that outlasts the call that started it, or work of our own process. */
@Entity('job')
export class Job {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly chargeId: string;
  @TextColumn() readonly owner: string;
  @TextColumn() readonly kind: MediaKind;
  /** A mode of media models, or the word of a route that works without one. */
  @TextColumn() readonly mode: string;
  @TextColumn() readonly modelId: string;
  @TextColumn({ default: 'running' }) readonly status: JobStatus;
  @TextColumn({ nullable: true }) readonly provider?: ProviderName;
  @TextColumn({ nullable: true }) readonly providerModel?: string;
  @TextColumn({ nullable: true }) readonly providerRef?: string;
  @IntegerColumn({ nullable: true }) readonly seconds?: number;
  @TextColumn({ nullable: true }) readonly size?: string;
  @SmallintColumn({ nullable: true }) readonly progress?: number;
  @TextColumn({ nullable: true }) readonly mediaId?: string;
  @TextColumn({ nullable: true }) readonly errorCode?: string;
  /** What such a job usually takes, for a progress where the provider tells none. */
  @IntegerColumn() readonly usualSeconds: number;
  @TimeColumn({ default: () => 'now()', select: false }) readonly pollAt?: Date;
  @IntegerColumn({ default: 0 }) readonly polls: number;
  @TimeColumn({ select: false }) readonly deadlineAt?: Date;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn({ nullable: true, select: false }) readonly acceptedAt?: Date;
  @TimeColumn({ nullable: true }) readonly finishedAt?: Date;
  @BooleanColumn({ default: false, select: false }) readonly settledLate?: boolean;
  /** Absent when the call did not ask for any; empty when none was close enough. */
  @JsonColumn({ name: 'used_references', nullable: true }) readonly references?: readonly UsedReference[];
  /** The caller's own word for what it is for. */
  @TextColumn({ nullable: true }) readonly tag?: string;
  /** The intent, while its provider is asked whether it can still be cancelled. */
  @TimeColumn({ nullable: true }) readonly cancelAskedAt?: Date;
  /** Its provider bills it: nobody asks again. */
  @BooleanColumn({ default: false }) readonly cancelRefused: boolean;
  /** Whoever asked must have died over it. */
  @ComputedColumn(
    'boolean',
    (job) => `${job}.cancel_asked_at < now() - interval '${CANCEL_SECONDS_MAX} seconds'`,
  )
  readonly cancelAbandoned?: boolean;
  /** Where its call wants its last event to be sent. */
  @TextColumn({ nullable: true, select: false }) readonly webhookUrl?: string;
  /** In database time. */
  @ComputedColumn('boolean', (job) => `${job}.deadline_at < now()`) readonly overdue: boolean;
  /** How long it may still take, in database time; below 0 once it is overdue. */
  @ComputedColumn('float8', (job) => `(extract(epoch from ${job}.deadline_at - now()) * 1000)::float8`)
  readonly leftMs: number;
  /** `released` while it runs: a payment that failed once the work had begun. */
  @ComputedColumn('text', (job) => `(select state from charge where charge.id = ${job}.charge_id)`)
  readonly chargeState: ChargeState;
  @ComputedColumn('text', (job) => `(select rail from charge where charge.id = ${job}.charge_id)`)
  readonly rail: RailName;
}
