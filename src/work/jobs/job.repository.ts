import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

import { LOCK_CHARGE, EVENT_ENDED } from '#notices/outbox/event.sql';
import type { Micro } from '#kernel/money';
import { ifPresent } from '#kernel/present';
import { StatementBatcher } from '#platform/database/statement-batcher';
import { Database } from '#platform/database/database';
import { named } from '#platform/database/named-sql';
import { tableOf } from '#platform/database/table';
import { IS_DUE, dueSince, joinPauses } from '#platform/queue/sweep-pause.repository';
import type { ProviderRoute } from '#models/providers/routing/route';
import { type View, isWholeView } from '#people/keys/visible-rows';
import { callIsSeen } from '#people/keys/visible-rows.sql';
import type { JobDraft } from './job';
import { Job, type JobStatus } from './job.entity';
import { LATE_REFUNDS } from './job-sweeps';
import { CANCEL_SECONDS_MAX, SUBMIT_SECONDS_MAX } from './job-times';
import type { JobErrorCode } from './job-failures';
import type { Media } from './media.entity';
import { signed } from './provenance.repository';

/** A page of an owner's list: jobs older than `before` that match the filter. */
export interface JobPage {
  readonly before?: string;
  readonly status?: JobStatus;
  readonly tag?: string;
  /** Restricts the list to the job of the call with this idempotency key. */
  readonly idempotencyKey?: string;
  readonly limit: number;
}

const JOBS = tableOf(Job);

/** A medium, and the facts about it that anybody with the file may query. */
export type MadeMedia = Pick<Media, 'id' | 'blobKey' | 'mime' | 'bytes'> & {
  readonly provenanceId: string;
  readonly sha256: Buffer;
  /** Undefined for a film and for a plain picture. */
  readonly perceptualHash: bigint | undefined;
};

const OPEN = named(
  `insert into job (id, charge_id, owner, kind, mode, model_id, seconds, size, usual_seconds, deadline_at, poll_at,
    used_references, tag, webhook_url, provider, provider_model, cost_micro, result_count, least_result)
  values (:id, :charge, :owner, :kind, :mode, :model, :seconds, :size, :usualSeconds,
    now() + make_interval(secs => :deadlineSeconds),
    now() + make_interval(secs => least(${SUBMIT_SECONDS_MAX}, :deadlineSeconds)),
    :references, :tag, :webhookUrl, :provider, :providerModel, :cost, :resultCount, :leastResult)
  on conflict (id) do update set provider = excluded.provider, provider_model = excluded.provider_model,
    cost_micro = excluded.cost_micro,
    poll_at = least(now() + make_interval(secs => ${SUBMIT_SECONDS_MAX}), greatest(job.deadline_at, now()))
  where job.status = 'running' and job.provider_ref is null returning id`,
);

/** The jobs' rows. Every change is a compare-and-set, so two workers never process the same job. */
@Injectable()
export class JobRepository {
  /** Concurrent reads of jobs share a statement, because many callers poll. */
  private readonly finds: StatementBatcher<string, Job | 'none'>;

  constructor(
    private readonly db: Database,
    @InjectRepository(Job) private readonly jobs: Repository<Job>,
  ) {
    this.finds = new StatementBatcher<string, Job | 'none'>({
      batch: async (ids) => {
        const found = new Map((await this.some(ids)).map((job) => [job.id, job]));
        return ids.map((id) => found.get(id) ?? 'none');
      },
      alone: async (id) => {
        const row = await this.db.one(`select ${JOBS.columns} from job where id = $1`, [id], 'job-find');
        return row === undefined ? 'none' : JOBS.read(row);
      },
    });
  }

  /**
   * Writes the intent before a provider is asked: the row names the next provider. False if the job has ended
   * meanwhile.
   */
  async open(draft: JobDraft, route?: ProviderRoute, cost?: Micro): Promise<boolean> {
    return this.moved(
      ...OPEN({
        id: draft.id,
        charge: draft.chargeId,
        owner: draft.owner,
        kind: draft.kind,
        mode: draft.mode,
        model: draft.modelId,
        seconds: draft.seconds,
        size: draft.size,
        usualSeconds: draft.usualSeconds,
        deadlineSeconds: draft.deadlineSeconds,
        references: ifPresent(draft.references, JSON.stringify),
        tag: draft.tag,
        webhookUrl: draft.webhookUrl,
        provider: route?.provider,
        providerModel: route?.model,
        cost,
        resultCount: draft.resultCount,
        leastResult: ifPresent(draft.leastResult, JSON.stringify),
      }),
      'job-open',
    );
  }

  /**
   * False if another process has ended the job meanwhile: then the operation is an orphan. If a look-up found the
   * operation before its answer arrived, the second write changes nothing.
   */
  async accepted(id: string, providerRef: string, pollMs: number): Promise<boolean> {
    return this.moved(
      `update job set provider_ref = $2, accepted_at = coalesce(accepted_at, now()),
         poll_at = case when provider_ref is null then now() + $3 * interval '1 millisecond' else poll_at end
       where id = $1 and ((status = 'running' and provider_ref is null) or (status <> 'failed' and provider_ref = $2))
       returning id`,
      [id, providerRef, pollMs],
      'job-accepted',
    );
  }

  /** A job that fails while its provider is asked to cancel it counts as cancelled. */
  async failed(id: string, code: JobErrorCode, blockedCategory?: string): Promise<boolean> {
    return this.moved(
      `with ${LOCK_CHARGE}, ended as (
         update job j set status = 'failed', finished_at = now(), blocked_category = $3, error_code = case
           when j.cancel_asked_at is not null and $2 = 'PROVIDER_FAILED' then 'CANCELLED' else $2 end
         from money where j.id = $1 and j.status = 'running' returning j.*
       ), ${EVENT_ENDED}
       select id, pg_notify('job_moved', id) from ended`,
      [id, code, blockedCategory],
      'job-failed',
    );
  }

  /**
   * Writes the intent before the provider is asked. False if the job has ended, or another process is asking already.
   */
  async askToCancel(id: string): Promise<boolean> {
    return this.moved(
      `update job set cancel_asked_at = now() where id = $1 and status = 'running' and (cancel_asked_at is null
         or cancel_asked_at < now() - interval '${CANCEL_SECONDS_MAX} seconds') returning id`,
      [id],
      'job-cancel-ask',
    );
  }

  /** The job was not cancelled and continues. With `refused`, nobody asks again. */
  async runsOn(id: string, refused: boolean): Promise<void> {
    await this.db.rows(
      `update job set cancel_asked_at = null, cancel_refused = cancel_refused or $2
       where id = $1 and status = 'running'`,
      [id, refused],
      'job-runs-on',
    );
  }

  /**
   * Stores the job's end and its media in one statement, so a finished job always has its media. The table refuses
   * fewer media than the call paid for.
   */
  async done(id: string, media: readonly MadeMedia[], retentionDays: number): Promise<boolean> {
    return this.moved(
      `with ${LOCK_CHARGE}, ended as (
         update job j set status = 'done', media_id = ($2::text[])[1], further_media_ids = nullif(($2::text[])[2:], '{}'),
           progress = 100, finished_at = now()
         from money where j.id = $1 and j.status = 'running' returning j.*
       ), ${EVENT_ENDED}, kept as (
         insert into media (id, job_id, blob_key, mime, bytes, expires_at, awaits_charge)
         select m.id, e.id, m.blob_key, m.mime, m.bytes, now() + make_interval(days => $6),
           money.state not in ('charged', 'refunded')
         from ended e, money, unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) as m (id, blob_key, mime, bytes)
       ), proven as (
         insert into provenance (id, model_id, sha256, created_at, perceptual_hash)
         select p.id, e.model_id, p.sha256, e.created_at, p.perceptual_hash
         from ended e, unnest($7::text[], $8::bytea[], $9::bigint[]) as p (id, sha256, perceptual_hash)
       )
       select id, pg_notify('job_moved', id) from ended`,
      [
        id,
        media.map((each) => each.id),
        media.map(({ blobKey }) => blobKey),
        media.map(({ mime }) => mime),
        media.map(({ bytes }) => bytes),
        retentionDays,
        media.map(({ provenanceId }) => provenanceId),
        media.map(({ sha256 }) => sha256),
        media.map(({ perceptualHash }) => signed(perceptualHash)),
      ],
      'job-done',
    );
  }

  async find(id: string): Promise<Job | undefined> {
    const job = await this.finds.add(id);
    return job === 'none' ? undefined : job;
  }

  async some(ids: readonly string[]): Promise<Job[]> {
    const rows = await this.db.rows(`select ${JOBS.columns} from job where id = any($1)`, [ids], 'job-some');
    return rows.map(JOBS.read);
  }

  async ofCharge(chargeId: string): Promise<Job | undefined> {
    const row = await this.db.one(
      `select ${JOBS.columns} from job where charge_id = $1`,
      [chargeId],
      'job-of-charge',
    );
    return row && JOBS.read(row);
  }

  /** Newest first, for the owner's own list, because ids begin with their time. A refunded job reads as failed. */
  async ofOwner(view: View, page: JobPage): Promise<Job[]> {
    const { before, status, tag, idempotencyKey, limit } = page;
    if (idempotencyKey !== undefined) return this.ofCall(view, idempotencyKey);
    const { owner, onlyKey, onlyMember } = view;
    const isTagged = tag === undefined ? '$4::text is null' : 'tag = $4';
    const rows = await this.db.rows(
      `select ${JOBS.columns} from job
       where owner = $1 and ($2::text is null or id < $2) and ${isTagged} and ($3::text is null or $3 =
         case (select state from charge where charge.id = job.charge_id) when 'refunded' then 'failed' else status end)
         and ($6::text is null and $7::text is null
           or exists (select from charge c where c.id = job.charge_id and ${callIsSeen('c', '$6', '$7')}))
       order by id desc limit $5`,
      [owner, before, status, tag, limit, onlyKey, onlyMember],
      tag === undefined ? 'job-of-owner' : 'job-of-owner-tagged',
    );
    return rows.map(JOBS.read);
  }

  /**
   * The job of one call. A payer's idempotency key names at most one charge that was not released, and a charge has one
   * job.
   */
  private async ofCall({ owner, onlyKey, onlyMember }: View, idempotencyKey: string): Promise<Job[]> {
    const marks = [
      `key:${idempotencyKey}`,
      ...(onlyKey === undefined ? [] : [`key:${onlyKey}:${idempotencyKey}`]),
    ];
    const rows = await this.db.rows(
      `select ${JOBS.columns} from job
       where owner = $1 and charge_id in (
         select id from charge where payer = $1 and mark is not null and mark = any($2) and state <> 'released'
           and ${callIsSeen('charge', '$3', '$4')})
       order by id desc`,
      [owner, marks, onlyKey, onlyMember],
      'job-of-call',
    );
    return rows.map(JOBS.read);
  }

  /** Whether a caller with this view sees the job. */
  async isSeen({ owner, chargeId }: Job, view: View): Promise<boolean> {
    if (owner !== view.owner) return false;
    if (isWholeView(view)) return true;
    const row = await this.db.one(
      `select from charge c where c.id = $1 and ${callIsSeen('c', '$2', '$3')}`,
      [chargeId, view.onlyKey, view.onlyMember],
      'job-is-seen',
    );
    return row !== undefined;
  }

  withStatus(status: JobStatus | undefined, limit: number): Promise<Job[]> {
    const where = status === undefined ? {} : { status };
    return this.jobs.find({ where, order: { createdAt: 'desc' }, take: limit });
  }

  /** Failed jobs whose charge is not refunded yet. Those whose refund failed come after the others. */
  async failedUnsettled(limit: number): Promise<Job[]> {
    const rows = await this.db.rows(
      `select ${JOBS.columns} from (
         select j.*, ${dueSince('j.finished_at')} as due_since
         from job j ${joinPauses(LATE_REFUNDS, 'j.id')}
         where j.status = 'failed' and not j.settled_late and ${IS_DUE} order by due_since limit $1) as job
       order by due_since`,
      [limit],
      'job-failed-unsettled',
    );
    return rows.map(JOBS.read);
  }

  async settledLate(id: string): Promise<void> {
    await this.jobs.update({ id }, { settledLate: true });
  }

  private async moved(text: string, values: readonly unknown[], name: string): Promise<boolean> {
    return (await this.db.rows(text, values, name)).length === 1;
  }
}
