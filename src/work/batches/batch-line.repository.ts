import { Injectable } from '@nestjs/common';

import { present } from '#kernel/present';
import { byColumn } from '#platform/database/batch-rows';
import { Database } from '#platform/database/database';
import type { Batch } from './batch.entity';
import type { LineState } from './batch-line.entity';

/** A call that a worker has taken, with its encrypted text. */
export interface TakenLine {
  readonly batchId: string;
  readonly line: number;
  readonly customId: string;
  readonly tries: number;
  readonly refunds: number;
  /** Undefined if the file's line is gone. */
  readonly sealed?: Buffer;
}

export interface LineEnd {
  readonly batchId: string;
  readonly line: number;
  readonly state: Extract<LineState, 'done' | 'failed'>;
  readonly answer: Buffer;
  readonly answerBytes: number;
}

type Named = Pick<TakenLine, 'batchId' | 'line'>;

const LEASE = `now() + interval '60 seconds'`;

/** The calls of batches. A worker takes them with a lease. */
@Injectable()
export class BatchLineRepository {
  constructor(private readonly db: Database) {}

  async dueOwners(): Promise<string[]> {
    const rows = await this.db.rows<{ owner: string }>(
      `select distinct b.owner from batch b
       where b.ended_at is null and b.status in ('in_progress', 'cancelling') and exists (
         select from batch_line l where l.batch_id = b.id and (
           (l.state = 'waiting' and l.due_at <= now()) or (l.state = 'running' and l.lease_until < now())))`,
      [],
      'batch-due-owners',
    );
    return rows.map(({ owner }) => owner);
  }

  /** Takes due calls of an owner, from the oldest batch first. Calls of a dead process are taken again. */
  async take(owner: string, most: number): Promise<TakenLine[]> {
    const rows = await this.db.rows<{
      batch_id: string;
      line: number;
      custom_id: string;
      tries: number;
      refunds: number;
      sealed: Buffer | null;
    }>(
      `with next as (
         select l.batch_id, l.line, b.input_file_id from batch b join batch_line l on l.batch_id = b.id
         where b.owner = $1 and b.ended_at is null and b.status in ('in_progress', 'cancelling')
           and ((l.state = 'waiting' and l.due_at <= now() and b.expires_at > now())
             or (l.state = 'running' and l.lease_until < now()))
         order by b.created_at, b.id, l.line limit $2 for update of l skip locked
       ), taken as (
         update batch_line l set state = 'running', lease_until = ${LEASE}, tries = l.tries + 1
         from next where l.batch_id = next.batch_id and l.line = next.line
         returning l.batch_id, l.line, l.custom_id, l.tries, l.refunds, next.input_file_id
       )
       select t.batch_id, t.line, t.custom_id, t.tries, t.refunds, f.sealed
       from taken t left join batch_file_line f on f.file_id = t.input_file_id and f.line = t.line`,
      [owner, most],
      'batch-take',
    );
    return rows.map(({ batch_id: batchId, custom_id: customId, line, tries, refunds, sealed }) => ({
      batchId,
      line,
      customId,
      tries,
      refunds,
      sealed: present(sealed),
    }));
  }

  async renew(lines: readonly Named[]): Promise<void> {
    await this.db.rows(
      `update batch_line l set lease_until = ${LEASE}
       from unnest($1::text[], $2::integer[]) as mine (batch_id, line)
       where l.batch_id = mine.batch_id and l.line = mine.line and l.state = 'running'`,
      byColumn(lines.map(({ batchId, line }) => [batchId, line])),
      'batch-renew',
    );
  }

  /** Stores the answer of a call. Another process may have stored it before. */
  async finish({ batchId, line, state, answer, answerBytes }: LineEnd): Promise<void> {
    await this.db.rows(
      `update batch_line set state = $3, answer = $4, answer_bytes = $5, lease_until = null
       where batch_id = $1 and line = $2 and state = 'running'`,
      [batchId, line, state, answer, answerBytes],
      'batch-finish-line',
    );
  }

  /** The call runs again after some seconds. A cancelled batch drops it. */
  async postpone({ batchId, line }: Named, seconds: number, refunds = 0): Promise<void> {
    await this.db.rows(
      `update batch_line l set state = case when b.status = 'in_progress' then 'waiting' else 'dropped' end,
         lease_until = null, due_at = now() + $3::integer * interval '1 second', refunds = l.refunds + $4::smallint
       from batch b where b.id = l.batch_id and l.batch_id = $1 and l.line = $2 and l.state = 'running'`,
      [batchId, line, seconds, refunds],
      'batch-postpone-line',
    );
  }

  /** The charge of a call, by the idempotency key that the worker sends. */
  async chargeOf({ payingKeyId }: Batch, idempotencyKey: string): Promise<string | undefined> {
    const row = await this.db.one<{ id: string }>(
      `select id from charge where key_id = $1 and mark = $2 and state <> 'released'`,
      [payingKeyId, `key:${payingKeyId}:${idempotencyKey}`],
      'batch-charge-of',
    );
    return row?.id;
  }

  /** Waiting calls of open batches whose day is over; they still need an answer. */
  async expiring(most: number): Promise<(TakenLine & { readonly owner: string })[]> {
    const rows = await this.db.rows<{ batch_id: string; owner: string; line: number; custom_id: string }>(
      `select l.batch_id, b.owner, l.line, l.custom_id from batch b join batch_line l on l.batch_id = b.id
       where b.ended_at is null and b.status = 'in_progress' and b.expires_at <= now() and l.state = 'waiting'
       order by l.batch_id, l.line limit $1`,
      [most],
      'batch-expiring',
    );
    return rows.map(({ batch_id: batchId, owner, line, custom_id: customId }) => ({
      batchId,
      owner,
      line,
      customId,
      tries: 0,
      refunds: 0,
    }));
  }

  async expire(lines: readonly (Named & Pick<LineEnd, 'answer' | 'answerBytes'>)[]): Promise<void> {
    await this.db.rows(
      `update batch_line l set state = 'expired', answer = e.answer, answer_bytes = e.bytes
       from unnest($1::text[], $2::integer[], $3::bytea[], $4::integer[]) as e (batch_id, line, answer, bytes)
       where l.batch_id = e.batch_id and l.line = e.line and l.state = 'waiting'`,
      byColumn(lines.map(({ batchId, line, answer, answerBytes }) => [batchId, line, answer, answerBytes])),
      'batch-expire-lines',
    );
  }
}
