import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import type { ChargeState, RailName } from '#money/billing/charges/charge.entity';
import {
  BooleanColumn,
  ComputedColumn,
  IntegerColumn,
  JsonColumn,
  ListColumn,
  MicroColumn,
  SmallintColumn,
  TextColumn,
  TimeColumn,
} from '#platform/database/columns';
import type { MediaKind } from '#platform/media/media-kind';
import type { LeastResult } from '#platform/media/media-proof';
import type { ProviderName } from '#models/providers/provider-name';
import { CANCEL_SECONDS_MAX } from './job-times';

export const JOB_STATUSES = ['running', 'done', 'failed'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** The inputs of a job that references can fill. */
export const REFERENCE_INPUTS = [
  'image',
  'image2',
  'video',
  'sources',
  'mask',
  'lastFrame',
  'extend',
] as const;

/** A reference of the caller's library that a job uses. */
export interface UsedReference {
  readonly id: string;
  readonly input: (typeof REFERENCE_INPUTS)[number];
  /** Its similarity to the prompt; absent if the caller pinned it. */
  readonly score?: number;
}

/** The making of media: at a provider, longer than its call, or in our own process. */
@Entity('job')
export class Job {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly chargeId: string;
  @TextColumn() readonly owner: string;
  @TextColumn() readonly kind: MediaKind;
  /** A mode of media models, or the operation of a route without a model. */
  @TextColumn() readonly mode: string;
  @TextColumn() readonly modelId: string;
  @TextColumn({ default: 'running' }) readonly status: JobStatus;
  @TextColumn({ nullable: true }) readonly provider?: ProviderName;
  @TextColumn({ nullable: true }) readonly providerModel?: string;
  @TextColumn({ nullable: true }) readonly providerRef?: string;
  /** The expected cost at its provider, by the rates of its route. */
  @MicroColumn({ nullable: true }) readonly cost?: Micro;
  @IntegerColumn({ nullable: true }) readonly seconds?: number;
  @TextColumn({ nullable: true }) readonly size?: string;
  @SmallintColumn({ nullable: true }) readonly progress?: number;
  /** The number of results that the call paid for. The job is done with all of them, or it fails. */
  @SmallintColumn({ default: 1 }) readonly resultCount: number;
  /** Each result must have at least this, because the call paid for it. */
  @JsonColumn({ nullable: true }) readonly leastResult?: LeastResult;
  /** The first result. */
  @TextColumn({ nullable: true }) readonly mediaId?: string;
  @ListColumn({ nullable: true }) readonly furtherMediaIds?: readonly string[];
  @TextColumn({ nullable: true }) readonly errorCode?: string;
  /** The category that the policy found in the result, in plain words. */
  @TextColumn({ nullable: true }) readonly blockedCategory?: string;
  /** The usual duration of such a job. It serves as progress if the provider reports none. */
  @IntegerColumn() readonly usualSeconds: number;
  @TimeColumn({ default: () => 'now()', select: false }) readonly pollAt?: Date;
  @IntegerColumn({ default: 0 }) readonly polls: number;
  @TimeColumn({ select: false }) readonly deadlineAt?: Date;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn({ nullable: true, select: false }) readonly acceptedAt?: Date;
  @TimeColumn({ nullable: true }) readonly finishedAt?: Date;
  @BooleanColumn({ default: false, select: false }) readonly settledLate?: boolean;
  /** Absent if the call did not ask for references; empty if none was similar enough. */
  @JsonColumn({ name: 'used_references', nullable: true }) readonly references?: readonly UsedReference[];
  /** The caller's own word for its purpose. */
  @TextColumn({ nullable: true }) readonly tag?: string;
  /** Set while the provider is asked to cancel the job. */
  @TimeColumn({ nullable: true }) readonly cancelAskedAt?: Date;
  /** The provider bills the job, so no process asks for a cancellation again. */
  @BooleanColumn({ default: false }) readonly cancelRefused: boolean;
  /** True if the process that asked for the cancellation must have died. */
  @ComputedColumn(
    'boolean',
    (job) => `${job}.cancel_asked_at < now() - interval '${CANCEL_SECONDS_MAX} seconds'`,
  )
  readonly cancelAbandoned?: boolean;
  /** The address of the call for the job's last event. */
  @TextColumn({ nullable: true, select: false }) readonly webhookUrl?: string;
  /** In database time. */
  @ComputedColumn('boolean', (job) => `${job}.deadline_at < now()`) readonly overdue: boolean;
  /** The remaining time in database time; below 0 if it is overdue. */
  @ComputedColumn('float8', (job) => `(extract(epoch from ${job}.deadline_at - now()) * 1000)::float8`)
  readonly leftMs: number;
  /** `released` if the payment failed while the job runs. */
  @ComputedColumn('text', (job) => `(select state from charge where charge.id = ${job}.charge_id)`)
  readonly chargeState: ChargeState;
  @ComputedColumn('text', (job) => `(select rail from charge where charge.id = ${job}.charge_id)`)
  readonly rail: RailName;
}
