import { Injectable } from '@nestjs/common';

import { Database } from '#platform/database/database';
import { inclusionPaths, leafHash } from './merkle-tree';
import type { TransparencyLog } from './transparency-log.entity';
import type {
  EntryProofAnswer,
  InclusionProofAnswer,
  LogEntryAnswer,
  StatementAnswer,
} from './transparency.dto';
import { TransparencyRepository } from './transparency.repository';

interface LeafRow {
  readonly leaf_index: string;
  readonly salt: Buffer;
  readonly entry_id: string;
  readonly owner: string;
  readonly kind: string;
  readonly amount: string;
  readonly balance: string;
  readonly at: Date;
  readonly previous: Buffer | null;
  /** The time with which the leaf was sealed, even if its row was changed later. */
  readonly sealed_at: Date;
}

/** The number of leaves whose paths are computed at once, which limits the tiles in memory. */
const LEAVES_AT_ONCE = 500;

/**
 * Leaves with the present rows of the ledger and the charges. A proof is made from these rows, so a row that was
 * changed after its sealing matches no leaf.
 */
const LEAVES = `
  select l.leaf_index, l.salt, l.entry_id, coalesce(substr(e.account_id, strpos(e.account_id, ':') + 1), c.payer, '') as owner,
    coalesce(e.kind, case when c.id is null then 'missing' when split_part(l.entry_id, '.', 2) = 'charged' and c.state = 'refunded'
      then 'charged' else c.state end) as kind,
    coalesce(e.amount_micro, c.price_micro, 0) as amount,
    coalesce(e.balance_after_micro, l.balance_micro) as balance,
    date_trunc('milliseconds', coalesce(e.created_at, case split_part(l.entry_id, '.', 2)
      when 'charged' then c.settled_at when 'refunded' then c.refunded_at end, l.at)) as at,
    p.commitment as previous, l.at as sealed_at
  from wanted l
  left join ledger_entry e on l.entry_id like '%/%' and e.account_id = split_part(l.entry_id, '/', 1)
    and e.seq = case when l.entry_id like '%/%' then split_part(l.entry_id, '/', 2)::bigint end
  left join charge c on l.entry_id not like '%/%' and c.id = split_part(l.entry_id, '.', 1)
  left join lateral (
    select commitment from transparency_leaf
    where log_id = l.log_id and owner = l.owner and leaf_index < l.leaf_index order by leaf_index desc limit 1
  ) as p on true
  order by l.leaf_index`;

/**
 * The first or the last leaf of an owner that fulfils a condition. Postgres searches for this leaf once, from one end
 * of the index. It would compute an aggregate over all leaves again for every row of the page.
 */
const edge = (condition: string, order: 'asc' | 'desc'): string =>
  `select leaf_index from transparency_leaf
   where log_id = $1 and owner = $2 and leaf_index < $5 and ${condition} order by leaf_index ${order} limit 1`;

/** The first leaf of a page; the end of the signed tree if every leaf is earlier. */
const START = `coalesce(case when $6::bigint > 0 then $6 else (${edge('at >= $3', 'asc')}) end, $5)`;

const entryOf = (row: LeafRow): LogEntryAnswer => ({
  amountMicro: Number(row.amount),
  at: row.at.toISOString(),
  balanceMicro: Number(row.balance),
  id: row.entry_id,
  kind: row.kind,
  owner: row.owner,
  previous: row.previous === null ? '' : leafHash(row.previous).toString('base64'),
});

/** A page of an owner's consecutive entries. */
type StatementPage = Omit<StatementAnswer, 'owner'>;

const EMPTY_PAGE: StatementPage = {
  openingBalanceMicro: 0,
  closingBalanceMicro: 0,
  entries: [],
  treeSize: 0,
};

/** Proves entries to their owners. */
@Injectable()
export class LogProofs {
  constructor(
    private readonly db: Database,
    private readonly log: TransparencyRepository,
  ) {}

  /** The proof that the log contains the end of a charge. Undefined while the entry is not sealed and signed. */
  async ofCharge(chargeId: string, state: string): Promise<InclusionProofAnswer | undefined> {
    const log = await this.log.current();
    if (log?.note === undefined) return undefined;
    const rows = await this.db.rows<LeafRow>(
      `with wanted as (
         select * from transparency_leaf where log_id = $1 and entry_id = $2 and leaf_index < $3
       ) ${LEAVES}`,
      [log.id, `${chargeId}.${state}`, log.publishedSize],
      'transparency-proof',
    );
    const [proof] = await this.proven(log, rows);
    // The fields are in the order of RFC 8785, because receipts sign the proof.
    return (
      proof && {
        checkpoint: log.note,
        entry: proof.entry,
        leafIndex: proof.leafIndex,
        path: proof.path,
        salt: proof.salt,
        treeSize: log.publishedSize,
      }
    );
  }

  /**
   * An owner's entries of a range of time, in the order of the log, after the leaf `after`, and the entry before them.
   */
  async statement(
    owner: string,
    { from, to }: { readonly from: Date; readonly to: Date },
    after: bigint,
    limit: number,
  ): Promise<StatementPage> {
    const log = await this.log.current();
    if (log === undefined) return EMPTY_PAGE;
    const { publishedSize: size } = log;
    const rows = await this.db.rows<LeafRow>(
      `with wanted as (
         select l.* from transparency_leaf l
         where l.log_id = $1 and l.owner = $2
           and l.leaf_index >= coalesce((${edge(`leaf_index < ${START}`, 'desc')}), ${START})
           and l.leaf_index <= (${edge('at < $4', 'desc')})
         order by l.leaf_index limit $7
       ) ${LEAVES}`,
      [log.id, owner, from, to, size, after + 1n, limit + 2],
      'transparency-statement',
    );
    const [first] = rows;
    const isBefore =
      first !== undefined && (after < 0n ? first.sealed_at < from : BigInt(first.leaf_index) <= after);
    const own = isBefore ? rows.slice(1) : rows;
    const page = own.slice(0, limit);
    const proofs = await this.proven(log, isBefore ? [first, ...page] : page);
    // It proves the opening balance, and that the page leaves out no entry in between.
    const before = isBefore ? proofs[0] : undefined;
    const opening = before?.entry.balanceMicro ?? 0;
    return {
      openingBalanceMicro: opening,
      closingBalanceMicro: proofs.at(-1)?.entry.balanceMicro ?? opening,
      before,
      entries: isBefore ? proofs.slice(1) : proofs,
      checkpoint: log.note,
      treeSize: size,
      nextCursor: own.length > limit ? page.at(-1)!.leaf_index : undefined,
    };
  }

  /** Leaves with the entries that they should commit to, for the comparison with the books. */
  async leaves(
    logId: number,
    from: number,
    to: number,
  ): Promise<ReadonlyMap<number, { readonly entry: LogEntryAnswer; readonly salt: Buffer }>> {
    const rows = await this.db.rows<LeafRow>(
      `with wanted as (
         select * from transparency_leaf where log_id = $1 and leaf_index >= $2 and leaf_index < $3
       ) ${LEAVES}`,
      [logId, from, to],
      'transparency-leaves',
    );
    return new Map(rows.map((row) => [Number(row.leaf_index), { entry: entryOf(row), salt: row.salt }]));
  }

  private async proven(log: TransparencyLog, rows: readonly LeafRow[]): Promise<EntryProofAnswer[]> {
    const read = this.log.readTiles(log.id);
    const proofs: EntryProofAnswer[] = [];
    for (let at = 0; at < rows.length; at += LEAVES_AT_ONCE) {
      const part = rows.slice(at, at + LEAVES_AT_ONCE);
      const leaves = part.map((row) => Number(row.leaf_index));
      const paths = await inclusionPaths(read, leaves, log.publishedSize);
      proofs.push(
        ...part.map((row, index) => ({
          entry: entryOf(row),
          leafIndex: leaves[index]!,
          path: paths[index]!.map((hash) => hash.toString('base64')),
          salt: row.salt.toString('base64'),
        })),
      );
    }
    return proofs;
  }
}
