import { Injectable } from '@nestjs/common';

import { firstIdAt } from '#kernel/ids';
import { paced } from '#platform/background/paced';
import { Database } from '#platform/database/database';
import { OPERATION } from '../charges/operation';

/** Each run sums one of this many parts of the accounts, so every account is summed once a day. */
const ACCOUNT_SLICES = 1_440;
/** There are fewer media than accounts, and media expire, so each medium is checked once an hour. */
const MEDIA_SLICES = 60;

/**
 * Ids begin with the time of a process, whose clock may be wrong by this much. Other comparisons find charges of clocks
 * that are more wrong.
 */
const CLOCK_SLACK_MS = 600_000;

/** The charges that one statement compares: some twenty milliseconds of Postgres. */
const CHARGES_PART = 5_000;

interface ChargesPart {
  readonly charges: number;
  readonly last: string | null;
  readonly drift: string;
}

/** Reads the books in two ways. Each result is a difference that must be 0. */
@Injectable()
export class ReconciliationRepository {
  constructor(private readonly db: Database) {}

  /** Compares balances with the newest entry of each account. Each run checks every account by one index look-up. */
  async balancesAgainstNewest(): Promise<bigint> {
    return this.difference(
      `select coalesce(sum(abs(a.balance_micro - coalesce(e.balance_after_micro, 0))), 0)::text as drift
       from ledger_account a left join ledger_entry e on e.account_id = a.id and e.seq = a.last_seq`,
      [],
      'drift-balances-against-newest',
    );
  }

  /** Compares balances with the sum of all entries, for one slice of the accounts. */
  async balancesAgainstSums(slice: number): Promise<bigint> {
    return this.difference(
      `select coalesce(sum(abs(a.balance_micro - e.total)), 0)::text as drift
       from ledger_account a cross join lateral (
         select coalesce(sum(case kind when 'debit' then -amount_micro else amount_micro end), 0) as total
         from ledger_entry where account_id = a.id) e
       where mod(abs(hashtext(a.id)), $1) = $2`,
      [ACCOUNT_SLICES, slice % ACCOUNT_SLICES],
      'drift-balances-against-sums',
    );
  }

  /**
   * Prepaid charges of the last hour whose ledger rows contradict their state. An hour may have millions of charges, so
   * it reads them in parts, and callers have the room between them unless an operator waits. It ends at the newest charge
   * of its beginning, although new ones come.
   */
  async chargesAgainstEntries({ part = CHARGES_PART, isAwaited = false } = {}): Promise<bigint> {
    let drift = 0n;
    const newest = await this.db.one<{ id: string | null }>('select max(id) as id from charge');
    const until = newest?.id ?? '';
    let after = firstIdAt('ch', Date.now() - 3_600_000 - CLOCK_SLACK_MS);
    for (let isMore = true; isMore;) {
      const read = () => this.chargesBetween(after, until, part);
      const found = await (isAwaited ? read() : paced(read, ({ charges }) => charges === part));
      drift += BigInt(found.drift);
      after = found.last ?? after;
      isMore = found.charges === part;
    }
    return drift;
  }

  /** Debits of the last day that are below the provider's bill. Rounding may lose one micro-USD. */
  async debitsBelowBills(): Promise<bigint> {
    return this.difference(
      `select coalesce(sum(billed_micro - price_micro), 0)::text as drift from charge
       where state = 'charged' and billed_micro > price_micro and billed_micro - price_micro > 1
         and created_at > now() - interval '1 day'`,
      [],
      'drift-debits-below-bills',
    );
  }

  /** Readable media and stored answers whose charge took no money. */
  async resultsWithoutCharge(slice: number): Promise<bigint> {
    return this.difference(
      `select coalesce(sum(c.price_micro), 0)::text as drift from charge c
       where c.state not in ('charged', 'refunded') and c.id in (
         select j.charge_id from media m join job j on j.id = m.job_id
         where not m.awaits_charge
           and (m.created_at > now() - interval '1 hour' or mod(abs(hashtext(m.id)), $1) = $2)
         union
         select r.charge_id from replay r join charge d on d.id = r.charge_id where d.state = 'released')`,
      [MEDIA_SLICES, slice % MEDIA_SLICES],
      'drift-results-without-charge',
    );
  }

  private chargesBetween(after: string, until: string, count: number): Promise<ChargesPart> {
    return this.db.longTransaction(30, async (queries) => {
      // Postgres knows of few charges since its last statistics. Without this, each part would read and sort them all.
      await queries.rows('set local enable_sort = off');
      const rows = await queries.rows<ChargesPart>(
        `with part as materialized (
           select id, account_id, operation, state, price_micro, created_at from charge
           where id > $1 and id <= $2 order by id limit $3)
         select count(*)::int as charges, max(c.id) as last, coalesce(sum(c.price_micro) filter (
           where c.account_id is not null and c.operation <> '${OPERATION.byUse}'
             and c.created_at > now() - interval '1 hour' and (select count(*) from ledger_entry e where e.charge_id = c.id)
               <> case when c.state in ('released', 'refunded') then 2 else 1 end), 0)::text as drift
         from part c`,
        [after, until, count],
        'drift-charges-against-entries',
      );
      return rows[0]!;
    });
  }

  private difference(statement: string, values: readonly unknown[], name: string): Promise<bigint> {
    return this.db.longTransaction(30, async (queries) => {
      const row = await queries.one<{ drift: string }>(statement, values, name);
      return BigInt(row?.drift ?? '0');
    });
  }
}
