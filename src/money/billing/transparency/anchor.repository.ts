import { Injectable } from '@nestjs/common';

import { Database } from '#platform/database/database';
import { tableOf } from '#platform/database/table';
import { TransparencyAnchor } from './transparency-anchor.entity';

const ANCHORS = tableOf(TransparencyAnchor);
/** The most checkpoints in the list: more than a year, at one a day. */
const LISTED_MAX = 400;
/** A transaction that no block contains after this many days is lost. */
const AWAITED_DAYS = 7;
const TODAY = `to_char(now() at time zone 'utc', 'YYYY-MM-DD')`;

/** Stores the checkpoints on the chain. */
@Injectable()
export class AnchorRepository {
  constructor(private readonly db: Database) {}

  /**
   * Reserves today for this checkpoint. Undefined if today has a checkpoint, or if a block already contains this size
   * of the log.
   */
  async claimToday(
    anchor: Pick<TransparencyAnchor, 'logId' | 'size' | 'note' | 'network'>,
  ): Promise<string | undefined> {
    const row = await this.db.one<{ day: string }>(
      `insert into transparency_anchor (day, log_id, size, note, network)
       select ${TODAY}, $1, $2::bigint, $3, $4
       where not exists (select from transparency_anchor where log_id = $1 and size = $2 and block is not null)
       on conflict (day) do nothing returning day`,
      [anchor.logId, anchor.size, anchor.note, anchor.network],
      'anchor-claim',
    );
    return row?.day;
  }

  /** Releases a day for which nothing was sent, so that a later run may try again. */
  async release(day: string): Promise<void> {
    await this.db.rows(
      'delete from transparency_anchor where day = $1 and transaction is null',
      [day],
      'anchor-release',
    );
  }

  async sent(day: string, transaction: string): Promise<void> {
    await this.db.rows(
      'update transparency_anchor set transaction = $2 where day = $1',
      [day, transaction],
      'anchor-sent',
    );
  }

  async mined(day: string, block: bigint): Promise<void> {
    await this.db.rows(
      'update transparency_anchor set block = $2 where day = $1',
      [day, block.toString()],
      'anchor-mined',
    );
  }

  /** The checkpoints that were sent and that no known block contains. */
  async awaited(network: string): Promise<TransparencyAnchor[]> {
    const rows = await this.db.rows(
      `select ${ANCHORS.columns} from transparency_anchor
       where network = $1 and transaction is not null and block is null
         and day > to_char((now() at time zone 'utc') - $2 * interval '1 day', 'YYYY-MM-DD')`,
      [network, AWAITED_DAYS],
      'anchor-awaited',
    );
    return rows.map(ANCHORS.read);
  }

  /** The checkpoints that are on the chain, the newest first. */
  async onChain(): Promise<TransparencyAnchor[]> {
    const rows = await this.db.rows(
      `select ${ANCHORS.columns} from transparency_anchor where block is not null order by day desc limit ${LISTED_MAX}`,
      [],
      'anchor-list',
    );
    return rows.map(ANCHORS.read);
  }
}
