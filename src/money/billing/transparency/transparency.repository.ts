import { Injectable } from '@nestjs/common';

import { Database, type Queries } from '#platform/database/database';
import { byColumn } from '#platform/database/batch-rows';
import { tableOf } from '#platform/database/table';
import { NO_SALT, commitmentOf, restartText } from './log-entry';
import { HASH_BYTES, type ReadTiles, type TileGrowth, leafHash } from './merkle-tree';
import { TransparencyLog } from './transparency-log.entity';

const LOGS = tableOf(TransparencyLog);

/**
 * A connection keeps the plan of a statement until Postgres counts the table again. A plan that was made for a small log
 * would read the whole log for each fact. So each batch of a small log has its own plan.
 */
const SMALL_LOG = 10_000;

/** The leaves of one batch, and how far the batch read. */
interface SealedBatch {
  /** The number of facts that the batch read. */
  readonly facts: number;
  /** The hashes of the new leaves in the tree. */
  readonly leaves: readonly Buffer[];
  /** The place of the last fact: its transaction, its account or its charge. Undefined if there is no fact. */
  readonly cursor: string | undefined;
  /** The oldest transaction that could still commit when the batch was read. */
  readonly oldestOpen: bigint;
  /** Entries whose predecessors are not in the ledger. */
  readonly stuck: readonly string[];
}

const ENTRY = `e.account_id || '/' || e.seq as entry_id, e.account_id, substr(e.account_id, strpos(e.account_id, ':') + 1) as owner, e.kind,
  e.amount_micro as amount, e.balance_after_micro as balance, e.seq, date_trunc('milliseconds', e.created_at) as at, e.written`;

/** A charge stores no time of its release, so the leaf has the time at which the log read it. */
const END = `c.id || '.' || ends.kind as entry_id, null as account_id, c.payer as owner, ends.kind, c.price_micro as amount, null::bigint as balance,
  null::bigint as seq, date_trunc('milliseconds', case ends.kind when 'charged' then c.settled_at
    when 'refunded' then c.refunded_at else clock_timestamp() end) as at`;

/** Postgres looks up one leaf for each fact. A `not exists` could become a join that reads the whole log. */
const isUnsealed = (entryId: string): string =>
  `(select true from transparency_leaf l where l.log_id = $1 and l.entry_id = ${entryId} limit 1) is null`;

const SNAPSHOT = 'pg_current_snapshot()';
/** The oldest transaction that may still commit. */
const OLDEST_OPEN = `pg_snapshot_xmin(${SNAPSHOT})::text::bigint`;
const NOT_BEGUN = `pg_snapshot_xmax(${SNAPSHOT})::text::bigint`;

/** The tables of the transparency log. The statements that seal run in one transaction. */
@Injectable()
export class TransparencyRepository {
  constructor(readonly db: Database) {}

  async current(): Promise<TransparencyLog | undefined> {
    const row = await this.db.one(
      `select ${LOGS.columns} from transparency_log order by id desc limit 1`,
      [],
      'transparency-current',
    );
    return row && LOGS.read(row);
  }

  async log(id: number): Promise<TransparencyLog | undefined> {
    const row = await this.db.one(
      `select ${LOGS.columns} from transparency_log where id = $1`,
      [id],
      'transparency-log',
    );
    return row && LOGS.read(row);
  }

  /** All logs of this deployment, the oldest first. */
  async all(): Promise<TransparencyLog[]> {
    const rows = await this.db.rows(
      `select ${LOGS.columns} from transparency_log order by id`,
      [],
      'transparency-all',
    );
    return rows.map(LOGS.read);
  }

  /** The current log, locked. Undefined if another process has the lock. */
  async lock(queries: Queries): Promise<TransparencyLog | undefined> {
    const row = await queries.one(
      `select ${LOGS.columns} from transparency_log
       where id = (select max(id) from transparency_log) for update skip locked`,
      [],
      'transparency-lock',
    );
    return row && LOGS.read(row);
  }

  /** Begins a log after the log `after`, unless another process has begun one. */
  async begin(
    log: Pick<TransparencyLog, 'id' | 'mark' | 'origin' | 'follows'>,
    after: number | undefined,
  ): Promise<void> {
    await this.db.rows(
      `insert into transparency_log (id, mark, origin, follows, since)
       select $1, $2, $3, $4, ${OLDEST_OPEN}
       where (select max(id) from transparency_log) is not distinct from $5::integer
       on conflict (id) do nothing`,
      [log.id, log.mark, log.origin, log.follows, after],
      'transparency-begin',
    );
  }

  /** A new database cluster counts transactions from the beginning, so all rows are compared with the log once more. */
  async isAstray(queries: Queries, log: TransparencyLog): Promise<boolean> {
    const row = await queries.one(
      `update transparency_log set since = ${OLDEST_OPEN}, account_cursor = '', charge_cursor = '', is_caught_up = false
       where id = $1 and since > ${NOT_BEGUN} returning id`,
      [log.id],
      'transparency-astray',
    );
    return row !== undefined;
  }

  /**
   * Seals committed facts in the order of their transactions. After that, every fact of a transaction below the returned
   * `since` is sealed. One statement reads one snapshot.
   */
  async sealNew(
    queries: Queries,
    log: TransparencyLog,
    saltKey: Buffer,
    limit: number,
  ): Promise<SealedBatch & { readonly since: bigint }> {
    const sealed = await this.sealFacts(
      queries,
      'new',
      `with ended as materialized (
         select ${END}, c.decided as written
         from (select * from charge where decided >= $4 and state in ('charged', 'refunded', 'released') order by decided offset 0) as c
         cross join lateral (select case c.state when 'released' then 'released' else 'charged' end as kind) as ends
         where ${isUnsealed(`c.id || '.' || ends.kind`)}
         order by c.decided, c.id limit $5),
       -- A full batch ends at its last charge at the latest. Without this bound it would read all new entries.
       bound as (select case when count(*) < $5 then ${NOT_BEGUN} - 1 else max(written) end as last from ended)
       select facts.*, written::text as cursor, row_number() over (order by written, seq is null, entry_id) as place from (
         (select ${ENTRY} from ledger_entry e
          where e.written >= $4 and e.written <= (select last from bound) and ${isUnsealed(`e.account_id || '/' || e.seq`)}
          order by e.written, e.account_id, e.seq limit $5)
         union all
         (select * from ended)
         union all
         (select ${END}, v.written from event v
          join charge c on c.id = 'ch_' || substr(v.id, 5, length(v.id) - 6)
          cross join (select 'refunded' as kind) as ends
          where v.type = 'charge.refunded' and v.written >= $4 and c.state = 'refunded' and ${isUnsealed(`c.id || '.refunded'`)}
          order by v.written, c.id limit $5)
       ) as facts order by written, seq is null, entry_id limit $5`,
      log,
      [saltKey, log.since, limit],
    );
    const { facts, cursor, oldestOpen } = sealed;
    if (cursor === undefined) return { ...sealed, since: log.since };
    const last = BigInt(cursor);
    return { ...sealed, since: facts < limit || oldestOpen < last ? oldestOpen : last };
  }

  /** Seals entries from before the log, account by account. The cursor is undefined after the last account. */
  async sealOldEntries(
    queries: Queries,
    log: TransparencyLog,
    saltKey: Buffer,
    limit: number,
  ): Promise<SealedBatch> {
    const accounts = await queries.rows<{ id: string }>(
      'select id from ledger_account where id > $1 order by id limit $2',
      [log.accountCursor, limit],
      'transparency-old-accounts',
    );
    const names = accounts.map((account) => account.id);
    const sealed = await this.sealFacts(
      queries,
      'old-entries',
      `select ${ENTRY}, e.account_id as cursor, row_number() over (order by a.place, e.seq) as place
       from unnest($4::text[]) with ordinality as a (account, place)
       cross join lateral (
         select coalesce((select l.seq from transparency_leaf l
           where l.log_id = $1 and l.owner = substr(a.account, strpos(a.account, ':') + 1)
           order by l.leaf_index desc limit 1), 0) as seq) as sealed
       join ledger_entry e on e.account_id = a.account and e.seq > sealed.seq
       order by a.place, e.seq limit $5`,
      log,
      [saltKey, names, limit],
    );
    if (sealed.facts < limit) return { ...sealed, cursor: names.at(-1) };
    // An account whose entries all lack a predecessor would fill every batch.
    if (sealed.leaves.length === 0) return sealed;
    // The next batch reads the last account again, because this account may have more entries.
    return { ...sealed, cursor: names[names.indexOf(sealed.cursor!) - 1] ?? log.accountCursor };
  }

  /**
   * Seals ends of charges from before the log, in the order of their ids. `sealNew` reads later ends. The cursor is
   * undefined after the last charge.
   */
  sealOldEnds(queries: Queries, log: TransparencyLog, saltKey: Buffer, limit: number): Promise<SealedBatch> {
    return this.sealFacts(
      queries,
      'old-ends',
      `select ${END}, c.id as cursor, row_number() over (order by c.id, ends.kind) as place
       from (select * from charge where id > $4 order by id limit $5) as c
       left join lateral unnest(case c.state when 'released' then '{released}'::text[]
         when 'refunded' then '{charged,refunded}' when 'charged' then '{charged}' end) as ends (kind)
         on (c.decided is null or c.decided < $6) and ${isUnsealed(`c.id || '.' || ends.kind`)}`,
      log,
      [saltKey, log.chargeCursor, limit, log.since],
    );
  }

  /** Makes leaves of the facts of a query and appends them. `$1` is the log, `$2` its size and `$3` the key of the salts. */
  private async sealFacts(
    queries: Queries,
    name: string,
    facts: string,
    log: Pick<TransparencyLog, 'id' | 'size'>,
    values: readonly unknown[],
  ): Promise<SealedBatch> {
    if (log.size < SMALL_LOG) await queries.rows('set local plan_cache_mode = force_custom_plan');
    const row = await queries.one<{
      facts: number;
      hashes: Buffer | null;
      cursor: string | null;
      oldest_open: string;
      stuck: string[] | null;
    }>(
      `with fact as materialized (${facts}),
       made as materialized (
         select leaf.*, row_number() over (order by leaf is null, slot, seq) - 1 as place
         from transparency_leaves($1, $3, (select array_agg(
           row(entry_id, account_id, owner, kind, amount, balance, seq, at)::transparency_fact order by place)
           from fact where kind is not null)) as leaf),
       appended as (
         insert into transparency_leaf (log_id, leaf_index, entry_id, owner, seq, balance_micro, at, salt, commitment)
         select $1, $2::bigint + place, entry_id, owner, seq, balance, at, salt, commitment from made where leaf is not null)
       select (select count(*) from fact)::int as facts, string_agg(leaf, '' order by place) as hashes,
         (select cursor from fact order by place desc limit 1) as cursor, ${OLDEST_OPEN}::text as oldest_open,
         array_agg(entry_id) filter (where leaf is null) as stuck
       from made`,
      [log.id, log.size, ...values],
      `transparency-seal-${name}`,
    );
    const hashes = row!.hashes ?? Buffer.alloc(0);
    return {
      facts: row!.facts,
      leaves: Array.from({ length: hashes.length / HASH_BYTES }, (_, at) =>
        hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
      ),
      cursor: row!.cursor ?? undefined,
      oldestOpen: BigInt(row!.oldest_open),
      stuck: row!.stuck ?? [],
    };
  }

  /** Appends the first leaf of a log that follows another log. This leaf is public. */
  async appendRestart(
    queries: Queries,
    { id, follows }: TransparencyLog & { readonly follows: string },
  ): Promise<Buffer> {
    const commitment = commitmentOf(NO_SALT, restartText(follows));
    await queries.rows(
      `insert into transparency_leaf (log_id, leaf_index, entry_id, owner, seq, balance_micro, at, salt, commitment)
       values ($1, 0, 'restart/' || $1::integer, '', 0, 0, now(), $2, $3)`,
      [id, NO_SALT, commitment],
      'transparency-restart',
    );
    return leafHash(commitment);
  }

  async growTiles(queries: Queries, log: TransparencyLog, growth: readonly TileGrowth[]): Promise<void> {
    await queries.rows(
      `insert into transparency_tile as t (log_id, level, tile, hashes)
       select $1, level, tile, hashes from unnest($2::smallint[], $3::bigint[], $4::bytea[]) as grown (level, tile, hashes)
       on conflict (log_id, level, tile) do update set hashes = t.hashes || excluded.hashes`,
      [log.id, ...byColumn(growth.map(({ level, tile, hashes }) => [level, tile, hashes]))],
      'transparency-grow',
    );
  }

  async advance(
    queries: Queries,
    id: number,
    to: Pick<TransparencyLog, 'size' | 'since' | 'accountCursor' | 'chargeCursor' | 'isCaughtUp'>,
  ): Promise<void> {
    await queries.rows(
      `update transparency_log set size = $2, since = $3, account_cursor = $4, charge_cursor = $5, is_caught_up = $6
       where id = $1`,
      [id, to.size, to.since.toString(), to.accountCursor, to.chargeCursor, to.isCaughtUp],
      'transparency-advance',
    );
  }

  async publish(queries: Queries, id: number, size: number, note: string): Promise<void> {
    await queries.rows(
      'update transparency_log set published_size = $2, note = $3, published_at = now() where id = $1',
      [id, size, note],
      'transparency-publish',
    );
  }

  /**
   * Adds the line of a witness to the checkpoint that the witness has signed, unless a newer checkpoint is published.
   */
  async cosign(id: number, size: number, line: string): Promise<void> {
    await this.db.rows(
      `update transparency_log set note = note || $3
       where id = $1 and published_size = $2 and strpos(note, $3) = 0`,
      [id, size, line],
      'transparency-cosign',
    );
  }

  readTiles(logId: number, queries: Queries = this.db): ReadTiles {
    return async (tiles) => {
      const rows = await queries.rows<{ level: number; tile: string; hashes: Buffer }>(
        `select t.level, t.tile, t.hashes from unnest($2::smallint[], $3::bigint[]) as wanted (level, tile)
         join transparency_tile t on t.log_id = $1 and t.level = wanted.level and t.tile = wanted.tile`,
        [logId, tiles.map(({ level }) => level), tiles.map(({ tile }) => tile)],
        'transparency-tiles',
      );
      return rows.map(({ level, tile, hashes }) => ({ level, tile: Number(tile), hashes }));
    };
  }

  async commitments(logId: number, from: number, count: number): Promise<Buffer[]> {
    const rows = await this.db.rows<{ commitment: Buffer }>(
      `select commitment from transparency_leaf where log_id = $1 and leaf_index >= $2 and leaf_index < $3
       order by leaf_index`,
      [logId, from, from + count],
      'transparency-commitments',
    );
    return rows.map(({ commitment }) => commitment);
  }
}
