import { Injectable } from '@nestjs/common';

import type { View } from '#people/keys/visible-rows';
import { callIsSeen } from '#people/keys/visible-rows.sql';
import { Database } from '#platform/database/database';
import { tableOf } from '#platform/database/table';
import { LedgerEntry, type NetworkEntry } from './ledger-entry.entity';

const ENTRIES = tableOf(LedgerEntry);

/** The network of an entry, from its payment or its channel. */
const NETWORK = `coalesce(
  (select p.network from x402_payment p
    where p.charge_id = coalesce(ledger_entry.charge_id, case when source like 'x402:%' then substr(source, 6) end)),
  (select n.network from channel_voucher v join channel n on n.id = v.channel_id
    where v.charge_id = ledger_entry.charge_id))`;

/** The most rows that one read scans, so a rare filter can't make it read the whole history. */
const SCAN_MAX = 5_000;

/** The selected entries of an account. */
export interface EntriesOf {
  readonly limit: number;
  /** The sequence at which the previous page ended. */
  readonly before?: bigint;
  readonly kind?: LedgerEntry['kind'];
  /** A restricted view has only the entries of the calls that it contains. */
  readonly view?: Pick<View, 'onlyKey' | 'onlyMember'>;
}

export interface EntryPage {
  /** Newest first. A page may be short although older entries match. */
  readonly entries: readonly NetworkEntry[];
  /** Send it as `before` for the next page; undefined at the end. */
  readonly next?: bigint;
}

@Injectable()
export class LedgerEntriesRepository {
  constructor(private readonly db: Database) {}

  async page(account: string, { limit, before, kind, view }: EntriesOf): Promise<EntryPage> {
    const rows = await this.db.rows<{ network: string | null; matches: boolean; place: string }>(
      `select ${ENTRIES.columns}, ${NETWORK} as network, matches, place from (
         select *, ($4::text is null or kind = $4) and ($5::text is null and $6::text is null
             or exists (select from charge c where c.id = scanned.charge_id and ${callIsSeen('c', '$5', '$6')})) as matches
         from (
           select *, row_number() over (order by seq desc) as place from ledger_entry
           where account_id = $1 and ($3::bigint is null or seq < $3) order by seq desc limit ${SCAN_MAX}) scanned
       ) ledger_entry
       where matches or place = ${SCAN_MAX} order by seq desc limit $2 + 1`,
      [account, limit, before, kind, view?.onlyKey, view?.onlyMember],
      'ledger-entry-page',
    );
    const read = rows.map((row) => ({ ...ENTRIES.read(row), network: row.network ?? undefined }));
    const matching = read.filter((_, at) => rows[at]!.matches);
    const entries = matching.slice(0, limit);
    if (matching.length > limit) return { entries, next: entries.at(-1)?.sequence };
    const isCut = Number(rows.at(-1)?.place) === SCAN_MAX;
    return { entries, next: isCut ? read.at(-1)?.sequence : undefined };
  }
}
