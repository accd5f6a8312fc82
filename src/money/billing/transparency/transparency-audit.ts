import { Injectable } from '@nestjs/common';

import { Database } from '#platform/database/database';
import { NO_SALT, commitmentOf, restartText, textOf } from './log-entry';
import { LogProofs } from './log-proofs';
import { LogPublisher } from './log-publisher';
import { TILE_WIDTH, HASH_BYTES, leafHash, rootOf } from './merkle-tree';
import { checkpointText, noteText } from '#platform/signatures/signed-note';
import { BlobStoreUnavailable } from '#platform/storage/blob-store.errors';
import type { TransparencyLog } from './transparency-log.entity';
import type { LogEntryAnswer } from './transparency.dto';
import { TransparencyRepository } from './transparency.repository';

/** Each run, once a minute, compares the newest leaves and one of this many slices of all leaves. */
const SLICES = 1_440;
const NEWEST = 1_000;
/** If an entry of this age has no leaf, sealing is late. */
const LATE = `interval '2 minutes'`;

/** Compares the log with the ledger and the charges, and the tree with its signed checkpoint. 0 means no difference. */
@Injectable()
export class TransparencyAudit {
  constructor(
    private readonly db: Database,
    private readonly log: TransparencyRepository,
    private readonly proofs: LogProofs,
    private readonly publisher: LogPublisher,
  ) {}

  /** The number of differences between the facts and the log. */
  async drift(slice: number): Promise<bigint> {
    const log = await this.log.current();
    if (log === undefined) return 0n;
    const width = Math.ceil(log.size / SLICES / TILE_WIDTH) * TILE_WIDTH;
    const from = (slice % SLICES) * width;
    const newest = Math.max(0, Math.floor((log.size - NEWEST) / TILE_WIDTH) * TILE_WIDTH);
    let wrong = await this.wrongLeaves(log.id, newest, log.size);
    if (from < newest) wrong += await this.wrongLeaves(log.id, from, Math.min(newest, from + width));
    if (log.isCaughtUp)
      wrong += (await this.unsealedAccounts(log.id)) + (await this.unsealedEnds(log, slice));
    if (log.note !== undefined) {
      const root = await rootOf(this.log.readTiles(log.id), log.publishedSize);
      if (noteText(log.note) !== checkpointText(log.origin, log.publishedSize, root)) wrong += 1;
    }
    if (await this.isBehind(log)) wrong += 1;
    return BigInt(wrong);
  }

  /** Whether a later tree is signed. An unavailable blob store must not prevent the comparison of the books. */
  private async isBehind(log: TransparencyLog): Promise<boolean> {
    try {
      return (await this.publisher.missing(log)) !== undefined;
    } catch (error) {
      if (error instanceof BlobStoreUnavailable) return false;
      throw error;
    }
  }

  /** The number of leaves that differ from their rows or from the tree. */
  private async wrongLeaves(logId: number, from: number, to: number): Promise<number> {
    let wrong = 0;
    for (let tile = Math.floor(from / TILE_WIDTH); tile * TILE_WIDTH < to; tile += 1) {
      const first = tile * TILE_WIDTH;
      const leaves = await this.proofs.leaves(logId, first, Math.min(to, first + TILE_WIDTH));
      const [row] = await this.log.readTiles(logId)([{ level: 0, tile }]);
      for (let at = first; at < Math.min(to, first + TILE_WIDTH); at += 1) {
        const leaf = leaves.get(at);
        const hash = row?.hashes.subarray((at - first) * HASH_BYTES, (at - first + 1) * HASH_BYTES);
        const made = leaf && (await this.madeOf(logId, leaf));
        if (made === undefined || hash === undefined || !leafHash(made).equals(hash)) wrong += 1;
      }
    }
    return wrong;
  }

  private async madeOf(
    logId: number,
    { entry, salt }: { readonly entry: LogEntryAnswer; readonly salt: Buffer },
  ): Promise<Buffer> {
    if (!entry.id.startsWith('restart/')) return commitmentOf(salt, textOf(entry));
    return commitmentOf(NO_SALT, restartText((await this.log.log(logId))?.follows ?? ''));
  }

  /** The number of accounts with an old entry that has no leaf. */
  private async unsealedAccounts(logId: number): Promise<number> {
    return this.db.longTransaction(30, async (queries) => {
      const row = await queries.one<{ count: string }>(
        `select (select count(*) from ledger_account a
           join ledger_entry e on e.account_id = a.id and e.seq = a.last_seq and e.created_at < now() - ${LATE}
           where e.seq > coalesce((select l.seq from transparency_leaf l
             where l.log_id = $1 and l.owner = substr(a.id, strpos(a.id, ':') + 1) order by l.leaf_index desc limit 1), 0)
         ) as count`,
        [logId],
        'transparency-unsealed',
      );
      return Number(row?.count ?? 0);
    });
  }

  /**
   * The number of ends of charges without a leaf, among the newest and in one slice of all charges. Every transaction
   * below `since` is sealed, so the statement compares no times. Only the leaf of a refund may be missing for a while,
   * because it follows the refund's event, which is later.
   */
  private async unsealedEnds({ id, since }: TransparencyLog, slice: number): Promise<number> {
    const row = await this.db.one<{ count: string }>(
      `with span as materialized (
         select (select decided from charge where decided is not null order by decided limit 1) as low
       ), bounds as materialized (
         select low + ($2::bigint - low) * $3 / ${SLICES} as first, low + ($2::bigint - low) * ($3 + 1) / ${SLICES} as last
         from span
       ), looked_at as (
         (select c.id, c.state, c.refunded_at from charge c where c.decided < $2 order by c.decided desc limit ${NEWEST})
         union
         (select c.id, c.state, c.refunded_at from charge c
          where c.decided >= (select first from bounds) and c.decided < (select last from bounds))
       )
       select count(*) from looked_at c
       cross join lateral unnest(case c.state when 'released' then '{released}'::text[] when 'charged' then '{charged}'
         when 'refunded' then case when c.refunded_at < now() - ${LATE} then '{charged,refunded}'::text[] else '{charged}' end
         end) as ends (kind)
       where not exists (select from transparency_leaf l where l.log_id = $1 and l.entry_id = c.id || '.' || ends.kind)`,
      [id, since.toString(), slice % SLICES],
      'transparency-unsealed-ends',
    );
    return Number(row?.count ?? 0);
  }
}
