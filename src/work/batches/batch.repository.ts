import { Injectable } from '@nestjs/common';

import { byColumn } from '#platform/database/batch-rows';
import { Database } from '#platform/database/database';
import { named } from '#platform/database/named-sql';
import { withOwnerLock } from '#platform/database/owner-lock';
import { tableOf } from '#platform/database/table';
import { IS_DUE, joinPauses } from '#platform/queue/sweep-pause.repository';
import { Batch } from './batch.entity';
import { FILE_DAYS, REPEATED_MINUTES, UNPAID_MINUTES } from './batch-limits';
import type { View } from '#people/keys/visible-rows';
import { memberOfKey } from '#people/keys/visible-rows.sql';
import { deletedRows } from '#platform/queue/sweep-rows.repository';

/** A call of a batch before it runs. */
export interface NewLine {
  readonly line: number;
  readonly customId: string;
}

/** A batch with the number of its calls that have ended. */
export interface CountedBatch {
  readonly batch: Batch;
  readonly done: number;
  readonly failed: number;
}

const BATCHES = tableOf(Batch);
const LOCK = 'batches';
/** The names of the sweeps over batches, for their pauses. */
export const BATCH_ENDS = 'batch ends';
export const BATCH_CANCELS = 'batch cancels';
export const BATCH_KEYS = 'batch keys';
const COUNTS = `(select count(*) from batch_line l where l.batch_id = batch.id and l.state = 'done')::integer as done,
  (select count(*) from batch_line l where l.batch_id = batch.id and l.state in ('failed', 'expired'))::integer as failed`;

const counted = (row: { done: number; failed: number }): CountedBatch => ({
  batch: BATCHES.read(row),
  done: row.done,
  failed: row.failed,
});

type BatchDraft = Omit<
  Batch,
  | 'openFileId'
  | 'outputFileId'
  | 'errorFileId'
  | 'status'
  | 'createdAt'
  | 'expiresAt'
  | 'startedAt'
  | 'cancellingAt'
  | 'endedAt'
>;

/** The batches of a view. The paying key of a batch belongs to the person who created it. */
const SEEN = `owner = $1 and ($2::text is null or key_id = $2)
  and ($3::text is null or ${memberOfKey('batch.paying_key_id')} = $3)`;

export const OLD_BATCHES = deletedRows({
  step: 'old-batches',
  table: 'batch',
  key: 'batch.id',
  due: `batch.ended_at < now() - interval '${FILE_DAYS} days'`,
});

const ADD = named(
  `insert into batch (id, owner, key_id, paying_key_id, endpoint, input_file_id, open_file_id, status, metadata, held_micro,
    discount_percent, total, mark, fingerprint, expires_at)
  select :id, :owner, :key, :payingKey, :endpoint, :file, :file, 'validating',
    :metadata, :held, :discount, :total, :mark, :fingerprint, now() + :hours::integer * interval '1 hour'
  where (select count(*) from batch where owner = :owner and ended_at is null) < :openMax
  returning id`,
);

@Injectable()
export class BatchRepository {
  constructor(private readonly db: Database) {}

  /**
   * Writes a batch with its calls, all or nothing. False if the owner has as many open ones as it may. Fails on
   * `batch_open_file` if its file was deleted meanwhile.
   */
  add(batch: BatchDraft, lines: readonly NewLine[], hours: number, openMax: number): Promise<boolean> {
    return withOwnerLock(this.db, LOCK, batch.owner, async (queries) => {
      const row = await queries.one(
        ...ADD({
          id: batch.id,
          owner: batch.owner,
          key: batch.keyId,
          payingKey: batch.payingKeyId,
          endpoint: batch.endpoint,
          file: batch.inputFileId,
          metadata: batch.metadata && JSON.stringify(batch.metadata),
          held: batch.held,
          discount: batch.discountPercent,
          total: batch.total,
          mark: batch.mark,
          fingerprint: batch.fingerprint,
          hours,
          openMax,
        }),
        'batch-add',
      );
      if (row === undefined) return false;
      await queries.rows(
        `insert into batch_line (batch_id, line, custom_id, state)
         select $1, line, custom_id, 'waiting' from unnest($2::integer[], $3::text[]) as l (line, custom_id)`,
        [batch.id, ...byColumn(lines.map(({ line, customId }) => [line, customId]))],
        'batch-add-lines',
      );
      return true;
    });
  }

  /** Starts a batch whose money is reserved. False if the sweep has ended it meanwhile. */
  async start(id: string): Promise<boolean> {
    const row = await this.db.one(
      `update batch set status = 'in_progress', started_at = now() where id = $1 and status = 'validating' returning id`,
      [id],
      'batch-start',
    );
    return row !== undefined;
  }

  /** Removes a batch whose money could not be reserved. */
  async forget(id: string): Promise<void> {
    await this.db.rows(`delete from batch where id = $1 and status = 'validating'`, [id], 'batch-forget');
  }

  async find({ owner, onlyKey, onlyMember }: View, id: string): Promise<CountedBatch | undefined> {
    const row = await this.db.one<{ done: number; failed: number }>(
      `select ${BATCHES.columns}, ${COUNTS} from batch
       where ${SEEN} and id = $4`,
      [owner, onlyKey, onlyMember, id],
      'batch-find',
    );
    return row && counted(row);
  }

  /** Newest first; `after` is the last id of the page before. */
  async list(
    { owner, onlyKey, onlyMember }: View,
    limit: number,
    after: string | undefined,
  ): Promise<CountedBatch[]> {
    const rows = await this.db.rows<{ done: number; failed: number }>(
      `select ${BATCHES.columns}, ${COUNTS} from batch
       where ${SEEN}
         and ($5::text is null or (created_at, id) < (select created_at, id from batch where id = $5 and owner = $1))
       order by created_at desc, id desc limit $4`,
      [owner, onlyKey, onlyMember, limit, after],
      'batch-list',
    );
    return rows.map(counted);
  }

  /**
   * The batch of an equal call: the one with this idempotency key, or without a key the newest that counts as repeated.
   */
  async madeBefore(
    { owner, onlyKey, onlyMember }: View,
    mark: string | undefined,
    fingerprint: Buffer,
  ): Promise<Batch | undefined> {
    const row = await this.db.one(
      `select ${BATCHES.columns} from batch where owner = $1 and key_id is not distinct from $4
         and ($5::text is null or ${memberOfKey('batch.paying_key_id')} = $5)
         and case when $2::text is not null then mark = $2
           else fingerprint = $3 and created_at > now() - interval '${REPEATED_MINUTES} minutes' end
       order by created_at desc limit 1`,
      [owner, mark, fingerprint, onlyKey, onlyMember],
      'batch-made-before',
    );
    return row && BATCHES.read(row);
  }

  /** No further call starts. Undefined if the batch has ended. */
  async cancel(id: string): Promise<void> {
    await this.db.transaction(async (queries) => {
      const row = await queries.one(
        `update batch set status = 'cancelling', cancelling_at = now() where id = $1 and status = 'in_progress' returning id`,
        [id],
        'batch-cancel',
      );
      if (row === undefined) return;
      await queries.rows(
        `update batch_line set state = 'dropped' where batch_id = $1 and state = 'waiting'`,
        [id],
        'batch-drop-lines',
      );
    });
  }

  async byId(id: string): Promise<Batch | undefined> {
    const row = await this.db.one(`select ${BATCHES.columns} from batch where id = $1`, [id], 'batch-by-id');
    return row && BATCHES.read(row);
  }

  /** Batches without an open call, and those whose process died before their money was reserved. */
  async finished(): Promise<string[]> {
    const rows = await this.db.rows<{ id: string }>(
      `select b.id from batch b ${joinPauses(BATCH_ENDS, 'b.id')} where b.ended_at is null and ${IS_DUE} and case when b.status = 'validating'
         then b.created_at < now() - interval '${UNPAID_MINUTES} minutes'
         else not exists (select from batch_line l where l.batch_id = b.id and l.state in ('waiting', 'running')) end`,
      [],
      'batch-finished',
    );
    return rows.map(({ id }) => id);
  }

  /** Ends a batch without an open call, with its answer files. False if another process has done so. */
  end(id: string, files: { readonly output: string; readonly error: string }): Promise<boolean> {
    return this.db.transaction(async (queries) => {
      const row = await queries.one<{ status: Batch['status'] }>(
        `select status from batch where id = $1 and ended_at is null for update`,
        [id],
        'batch-lock',
      );
      if (row === undefined) return false;
      await queries.rows(
        `insert into batch_file (id, owner, key_id, purpose, filename, bytes, lines, batch_id, ready_at, expires_at)
         select case when made.is_done then $2 else $3 end, b.owner, b.key_id,
           case when made.is_done then 'batch_output' else 'batch_error' end,
           b.id || case when made.is_done then '_output.jsonl' else '_error.jsonl' end,
           made.bytes, made.lines, b.id, now(), now() + interval '${FILE_DAYS} days'
         from batch b cross join lateral (
           select l.state = 'done' as is_done, sum(l.answer_bytes + 1) as bytes, count(*)::integer as lines
           from batch_line l where l.batch_id = b.id and l.answer is not null group by 1) as made
         where b.id = $1`,
        [id, files.output, files.error],
        'batch-add-answer-files',
      );
      await queries.rows(
        `update batch b set ended_at = now(), open_file_id = null,
           status = case when b.status = 'validating' then 'failed' when b.status = 'cancelling' then 'cancelled'
             when exists (select from batch_line l where l.batch_id = b.id and l.state = 'expired') then 'expired'
             else 'completed' end,
           output_file_id = (select id from batch_file where id = $2),
           error_file_id = (select id from batch_file where id = $3)
         where b.id = $1`,
        [id, files.output, files.error],
        'batch-end',
      );
      return true;
    });
  }

  /** Frees the files of batches that a process of the version before has ended during a rollout. */
  async freeFiles(): Promise<void> {
    await this.db.rows(
      'update batch set open_file_id = null where open_file_id is not null and ended_at is not null',
      [],
      'batch-free-files',
    );
  }

  /** Ended batches whose paying key is not deleted yet. */
  async endedWithKey(): Promise<{ readonly owner: string; readonly payingKeyId: string }[]> {
    const rows = await this.db.rows<{ owner: string; paying_key_id: string }>(
      `select b.owner, b.paying_key_id from batch b join api_key k on k.id = b.paying_key_id
         ${joinPauses(BATCH_KEYS, 'b.paying_key_id')}
       where b.ended_at is not null and k.deleted_at is null and ${IS_DUE} order by p.retry_at nulls first limit 1000`,
      [],
      'batch-ended-with-key',
    );
    return rows.map(({ owner, paying_key_id: payingKeyId }) => ({ owner, payingKeyId }));
  }

  /** Open batches whose paying key, or a key above it, was deleted or has expired. */
  async withoutKey(): Promise<string[]> {
    const rows = await this.db.rows<{ id: string }>(
      `select b.id from batch b join api_key k on k.id = b.paying_key_id ${joinPauses(BATCH_CANCELS, 'b.id')}
       where b.status = 'in_progress' and ${IS_DUE} and exists (
         select from api_key l where l.id = any(k.above || k.id) and (l.deleted_at is not null or l.expires_at <= now()))`,
      [],
      'batch-without-key',
    );
    return rows.map(({ id }) => id);
  }
}
