import { Injectable } from '@nestjs/common';

import { firstIdAt, timeOfId } from '#kernel/ids';
import { microFromText } from '#kernel/money';
import { Database } from '#platform/database/database';
import { OPERATION } from '#money/billing/charges/operation';
import type { ChainOutcome } from '../facilitators/facilitator';
import { Facilitators } from '../facilitators/facilitators';
import { hourToCheck } from './drift-hours';
import { type StoredPayment, X402PaymentRepository } from './x402-payment.repository';

/** The number of payments that each run looks up on the chain; each needs a few requests to a node. */
const LOOKED_UP = 10;

/** The difference between the exposure of payers and their open calls. */
const EXPOSURE_DRIFT = `
  with open as (
    select payer, sum(price_micro) as micro from charge
    where rail = 'x402' and state in ('held', 'settling') group by payer
  )
  select coalesce(sum(abs(coalesce(w.open_micro, 0) - coalesce(open.micro, 0))), 0)::text as drift
  from (select payer, open_micro from x402_payer where open_micro > 0) w full join open on open.payer = w.payer`;

/** Recently charged calls without a transaction, or with a payment of another amount. */
const PAID_DRIFT = `
  select coalesce(sum(c.price_micro), 0)::text as drift
  from x402_payment p join charge c on c.id = p.charge_id
  where p.created_at > now() - interval '1 hour' and c.state in ('charged', 'refunded')
    and (p.tx_hash is null or p.amount_micro <> c.price_micro)`;

/** Charges made since $1, and those from $2 to $3. The statement compares ids, because ids begin with their time. */
const inPeriods = (id: string, prefix = ''): string => {
  const [since, from, until] = [1, 2, 3].map((n) => `'${prefix}' || $${n}::text`);
  return `(${id} >= ${since} or (${id} >= ${from} and ${id} < ${until}))`;
};

/**
 * Compares charges with the transfers that paid them, and deposits with their credits. Each transfer counts once, even
 * if many payments name it. Old transfers have no log index, so they count once for each transaction among the rows
 * that the statement reads together.
 */
const TRANSFER_DRIFT = `
  with charged as materialized (
    select id, operation, price_micro from charge c
    where c.rail = 'x402' and c.state in ('charged', 'refunded') and ${inPeriods('c.id')}
  ), named as materialized (
    select p.network, p.tx_hash, p.log_index, p.amount_micro, c.price_micro
    from charged c left join x402_payment p on p.charge_id = c.id
  ), transfers as (
    select max(p.amount_micro) as moved, sum(c.price_micro) as charged
    from (select distinct network, tx_hash, log_index from named) t
    join x402_payment p on p.network = t.network and p.tx_hash = t.tx_hash and p.log_index = t.log_index
    join charge c on c.id = p.charge_id and c.state in ('charged', 'refunded')
    group by p.network, p.tx_hash, p.log_index
    union all
    select max(amount_micro), sum(price_micro) from named where tx_hash is not null and log_index is null
    group by network, tx_hash
  ), deposits as (
    select c.price_micro, e.amount_micro from charged c left join ledger_entry e on e.source = 'x402:' || c.id
    where c.operation = '${OPERATION.topUp}'
  ), credits as (
    select e.amount_micro from ledger_entry e
    where e.source like 'x402:%' and ${inPeriods('e.source', 'x402:')} and not exists (
      select from charge c where c.id = substr(e.source, 6) and c.state in ('charged', 'refunded'))
  )
  select (
    (select coalesce(sum(abs(charged - moved)), 0) from transfers)
    + (select coalesce(sum(price_micro), 0) from named where tx_hash is null)
    + (select coalesce(sum(abs(price_micro - coalesce(amount_micro, 0))), 0) from deposits)
    + (select coalesce(sum(amount_micro), 0) from credits))::text as drift`;

const OLDEST = `select min(charge_id) as id from x402_payment`;

/** Each run reads the whole last hour and a little more, because clocks of processes may differ. */
const RECENT_MS = 3_600_000 + 600_000;

/** Calls that were answered and never paid. Operators should learn of them within a day. */
const LOST_LATELY = `
  select coalesce(sum(amount_micro), 0)::text as lost from x402_payment where lost_at > now() - interval '1 day'`;

const DECIDED_LATELY = `
  select c.id from x402_payment p join charge c on c.id = p.charge_id
  where p.created_at > now() - interval '15 minutes' and c.state in ('charged', 'refunded', 'released')
    and p.settle_attempts > 0
  order by p.created_at desc limit $1`;

/** Compares the payments with the payers' totals and with the chain. The difference must be 0, in micro-USD. */
@Injectable()
export class X402DriftRepository {
  constructor(
    private readonly db: Database,
    private readonly payments: X402PaymentRepository,
    private readonly facilitators: Facilitators,
  ) {}

  /** Payments of the last day that the chain has dropped and that can't be sent again. */
  async lost(): Promise<bigint> {
    return BigInt((await this.db.one<{ lost: string }>(LOST_LATELY, [], 'x402-lost-lately'))?.lost ?? '0');
  }

  /**
   * Compares charges and deposits with distinct transfers, because a transfer must not pay twice and must exist. Each
   * run reads the last hour and one older hour, and the older hour changes each minute.
   */
  async transfers(minute: number, now = Date.now()): Promise<bigint> {
    return this.db.longTransaction(30, async (queries) => {
      const oldest = await queries.one<{ id: string | null }>(OLDEST, [], 'x402-oldest');
      const recent = now - RECENT_MS;
      const since = timeOfId(oldest?.id ?? '');
      const { from, until } = hourToCheck(minute, Number.isNaN(since) ? recent : since, recent);
      const row = await queries.one<{ drift: string }>(
        TRANSFER_DRIFT,
        [recent, from, until].map((time) => firstIdAt('ch', time)),
        'drift-transfers',
      );
      return BigInt(row?.drift ?? '0');
    });
  }

  async drift(): Promise<bigint> {
    const ours = await this.db.longTransaction(30, async (queries) => {
      const exposure = await queries.one<{ drift: string }>(EXPOSURE_DRIFT, [], 'drift-exposure');
      const paid = await queries.one<{ drift: string }>(PAID_DRIFT, [], 'drift-paid');
      return microFromText(exposure?.drift ?? '0') + microFromText(paid?.drift ?? '0');
    });
    return ours + (await this.chainDrift());
  }

  /**
   * Payments that are settled on the chain but not here, or here but not on the chain. A payment that the chain does
   * not know yet is no difference.
   */
  private async chainDrift(): Promise<bigint> {
    let drift = 0n;
    for (const { id } of await this.db.rows<{ id: string }>(
      DECIDED_LATELY,
      [LOOKED_UP],
      'x402-decided-lately',
    )) {
      const payment = await this.payments.find(id);
      const truth =
        payment &&
        (await this.facilitators
          .on(payment.network)
          .outcome(payment)
          .catch(() => undefined));
      if (payment === undefined || truth === undefined || truth.outcome === 'unknown') continue;
      if (!isThere(payment, truth)) drift += payment.amount;
    }
    return drift;
  }
}

/** Whether the chain has exactly the transfer that we know, or has none if we know none. */
const isThere = ({ transaction, logIndex }: StoredPayment, truth: ChainOutcome): boolean => {
  if (truth.outcome !== 'settled') return transaction === undefined;
  const samePlace = logIndex === undefined || logIndex === truth.logIndex;
  return truth.transaction.toLowerCase() === transaction && samePlace;
};
