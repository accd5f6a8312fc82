import { Injectable } from '@nestjs/common';

import { Database, type Queries } from '#platform/database/database';
import { byColumn } from '#platform/database/batch-rows';
import { tableOf } from '#platform/database/table';
import { HASH_BYTES, type ReadTiles, type TileGrowth, leafHash } from './merkle-tree';
import { TransparencyLog } from './transparency-log.entity';

const LOGS = tableOf(TransparencyLog);

/** A fact that becomes a leaf: a ledger entry, or the end of a charge. The end of a charge has no sequence. */
export interface Fact {
  readonly entryId: string;
  readonly owner: string;
  readonly kind: string;
  readonly amountMicro: number;
  readonly balanceMicro: number | undefined;
  readonly sequence: bigint | undefined;
  readonly at: Date;
  readonly written: bigint;
}

/** The facts of an owner's newest leaf. */
export interface OwnerHead {
  readonly sequence: bigint;
  readonly balanceMicro: number;
  /** The leaf's hash in the tree. */
  readonly leaf: Buffer;
}

export interface NewLeaf {
  readonly entryId: string;
  readonly owner: string;
  readonly sequence: bigint;
  readonly balanceMicro: number;
  readonly at: Date;
  readonly salt: Buffer;
  readonly commitment: Buffer;
  readonly leaf: Buffer;
}

interface FactRow {
  readonly entry_id: string;
  readonly owner: string;
  readonly kind: string;
  readonly amount: string;
  readonly balance: string | null;
  readonly seq: string | null;
  readonly at: Date;
  readonly written: string | null;
  readonly since: string;
}

const ENTRY = `e.account_id || '/' || e.seq as entry_id, substr(e.account_id, strpos(e.account_id, ':') + 1) as owner, e.kind,
  e.amount_micro as amount, e.balance_after_micro as balance, e.seq, date_trunc('milliseconds', e.created_at) as at, e.written`;

/** A charge stores no time of its release, so the leaf has the time at which the log read it. */
const END = `c.id || '.' || ends.kind as entry_id, c.payer as owner, ends.kind, c.price_micro as amount, null::bigint as balance,
  null::bigint as seq, date_trunc('milliseconds', case ends.kind when 'charged' then c.settled_at
    when 'refunded' then c.refunded_at else clock_timestamp() end) as at`;

const isUnsealed = (entryId: string): string =>
  `not exists (select from transparency_leaf l where l.log_id = $1 and l.entry_id = ${entryId})`;

/** One hash of a concatenated parameter. The driver would send each hash of an array in hex. */
const hashAt = (parameter: string): string =>
  `substr(${parameter}::bytea, ((place - 1) * ${HASH_BYTES})::int + 1, ${HASH_BYTES})`;

const SNAPSHOT = 'pg_current_snapshot()';
/** The oldest transaction that may still commit. */
const OLDEST_OPEN = `pg_snapshot_xmin(${SNAPSHOT})::text::bigint`;
const NOT_BEGUN = `pg_snapshot_xmax(${SNAPSHOT})::text::bigint`;

const factOf = (row: FactRow): Fact => ({
  entryId: row.entry_id,
  owner: row.owner,
  kind: row.kind,
  amountMicro: Number(row.amount),
  balanceMicro: row.balance === null ? undefined : Number(row.balance),
  sequence: row.seq === null ? undefined : BigInt(row.seq),
  at: row.at,
  written: BigInt(row.written ?? 0),
});

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
   * Reads committed facts that are not sealed, in the order of their transactions. After they are sealed, every fact of
   * a transaction below the returned `since` is sealed. One statement reads one snapshot.
   */
  async newFacts(
    queries: Queries,
    { id, since }: TransparencyLog,
    limit: number,
  ): Promise<{ readonly facts: Fact[]; readonly since: bigint }> {
    const rows = await queries.rows<FactRow>(
      `select facts.*, ${OLDEST_OPEN} as since from (
         (select ${ENTRY} from ledger_entry e
          where e.written >= $2 and e.written < ${NOT_BEGUN} and ${isUnsealed(`e.account_id || '/' || e.seq`)}
          order by e.written, e.account_id, e.seq limit $3)
         union all
         (select ${END}, c.decided as written from charge c
          cross join lateral (select case c.state when 'released' then 'released' else 'charged' end as kind) as ends
          where c.decided >= $2 and c.state in ('charged', 'refunded', 'released') and ${isUnsealed(`c.id || '.' || ends.kind`)}
          order by c.decided, c.id limit $3)
         union all
         (select ${END}, v.written from event v
          join charge c on c.id = 'ch_' || substr(v.id, 5, length(v.id) - 6)
          cross join (select 'refunded' as kind) as ends
          where v.type = 'charge.refunded' and v.written >= $2 and c.state = 'refunded' and ${isUnsealed(`c.id || '.refunded'`)}
          order by v.written, c.id limit $3)
       ) as facts order by written, seq is null, entry_id limit $3`,
      [id, since, limit],
      'transparency-new-facts',
    );
    const facts = rows.map(factOf);
    const last = facts.at(-1)?.written;
    // An empty answer has no snapshot, and a later snapshot may show fewer open transactions.
    if (last === undefined) return { facts, since };
    const oldest = BigInt(rows[0]!.since);
    return { facts, since: rows.length < limit || oldest < last ? oldest : last };
  }

  /** Entries from before the log, account by account, and the new cursor. */
  async oldEntries(
    queries: Queries,
    { id, accountCursor }: TransparencyLog,
    limit: number,
  ): Promise<{ readonly facts: Fact[]; readonly cursor: string | undefined }> {
    const accounts = await queries.rows<{ id: string }>(
      'select id from ledger_account where id > $1 order by id limit $2',
      [accountCursor, limit],
      'transparency-old-accounts',
    );
    if (accounts.length === 0) return { facts: [], cursor: undefined };
    const names = accounts.map((account) => account.id);
    const rows = await queries.rows<FactRow & { account_id: string }>(
      `select ${ENTRY}, e.account_id from unnest($2::text[]) with ordinality as a (account, place)
       cross join lateral (
         select coalesce((select l.seq from transparency_leaf l
           where l.log_id = $1 and l.owner = substr(a.account, strpos(a.account, ':') + 1)
           order by l.leaf_index desc limit 1), 0) as seq) as sealed
       join ledger_entry e on e.account_id = a.account and e.seq > sealed.seq
       order by a.place, e.seq limit $3`,
      [id, names, limit],
      'transparency-old-entries',
    );
    const cutAt = rows.length < limit ? undefined : rows.at(-1)!.account_id;
    // The next batch reads the last account again, because this account may have more entries.
    const cursor = cutAt === undefined ? names.at(-1) : (names[names.indexOf(cutAt) - 1] ?? accountCursor);
    return { facts: rows.map(factOf), cursor };
  }

  /**
   * Ends of charges from before the log, in the order of their ids, and the new cursor. `newFacts` reads later ends.
   */
  async oldEnds(
    queries: Queries,
    { id, chargeCursor, since }: TransparencyLog,
    limit: number,
  ): Promise<{ readonly facts: Fact[]; readonly cursor: string | undefined }> {
    const rows = await queries.rows<FactRow & { charge_id: string }>(
      `select ${END}, c.decided as written, c.id as charge_id
       from (select * from charge where id > $2 order by id limit $3) as c
       left join lateral unnest(case c.state when 'released' then '{released}'::text[]
         when 'refunded' then '{charged,refunded}' when 'charged' then '{charged}' end) as ends (kind)
         on (c.decided is null or c.decided < $4) and ${isUnsealed(`c.id || '.' || ends.kind`)}
       order by c.id, ends.kind`,
      [id, chargeCursor, limit, since.toString()],
      'transparency-old-ends',
    );
    return { facts: rows.filter(({ kind }) => kind !== null).map(factOf), cursor: rows.at(-1)?.charge_id };
  }

  /**
   * Entries of an account between two sequences. A batch can lack them, because transactions have another order than
   * entries.
   */
  async entriesBetween(queries: Queries, account: string, after: bigint, before: bigint): Promise<Fact[]> {
    const rows = await queries.rows<FactRow>(
      `select ${ENTRY} from ledger_entry e where e.account_id = $1 and e.seq > $2 and e.seq < $3 order by e.seq`,
      [account, after, before],
      'transparency-entries-between',
    );
    return rows.map(factOf);
  }

  async heads(queries: Queries, logId: number, owners: readonly string[]): Promise<Map<string, OwnerHead>> {
    const rows = await queries.rows<{ owner: string; seq: string; balance: string; commitment: Buffer }>(
      `select o.owner, l.seq, l.balance_micro as balance, l.commitment from unnest($2::text[]) as o (owner)
       cross join lateral (select seq, balance_micro, commitment from transparency_leaf
         where log_id = $1 and owner = o.owner order by leaf_index desc limit 1) as l`,
      [logId, owners],
      'transparency-heads',
    );
    return new Map(
      rows.map(({ owner, seq, balance, commitment }) => [
        owner,
        { sequence: BigInt(seq), balanceMicro: Number(balance), leaf: leafHash(commitment) },
      ]),
    );
  }

  async append(
    queries: Queries,
    log: TransparencyLog,
    leaves: readonly NewLeaf[],
    growth: readonly TileGrowth[],
  ): Promise<void> {
    await queries.rows(
      `insert into transparency_leaf (log_id, leaf_index, entry_id, owner, seq, balance_micro, at, salt, commitment)
       select $1, $2::bigint + place - 1, entry_id, owner, seq, balance, at, ${hashAt('$8')}, ${hashAt('$9')}
       from unnest($3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::timestamptz[])
         with ordinality as new (entry_id, owner, seq, balance, at, place)`,
      [
        log.id,
        log.size,
        ...byColumn(
          leaves.map(({ entryId, owner, sequence, balanceMicro, at }) => [
            entryId,
            owner,
            sequence.toString(),
            balanceMicro,
            at.toISOString(),
          ]),
        ),
        Buffer.concat(leaves.map(({ salt }) => salt)),
        Buffer.concat(leaves.map(({ commitment }) => commitment)),
      ],
      'transparency-append',
    );
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
    return async (places) => {
      const rows = await queries.rows<{ level: number; tile: string; hashes: Buffer }>(
        `select t.level, t.tile, t.hashes from unnest($2::smallint[], $3::bigint[]) as wanted (level, tile)
         join transparency_tile t on t.log_id = $1 and t.level = wanted.level and t.tile = wanted.tile`,
        [logId, places.map(({ level }) => level), places.map(({ tile }) => tile)],
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
