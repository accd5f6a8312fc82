import { Injectable } from '@nestjs/common';

import { type Micro, microFromText } from '#kernel/money';
import type { View } from '#people/keys/visible-rows';
import { callIsSeen } from '#people/keys/visible-rows.sql';
import { Database } from '#platform/database/database';
import { tableOf } from '#platform/database/table';
import type { SpendingKey } from './charge';
import { Charge, type RailName } from './charge.entity';
import { LEASE_UNTIL } from './lease';
import { deletedRows } from '#platform/queue/sweep-rows.repository';

const CHARGES = tableOf(Charge);

export interface StoredReplay {
  readonly sealed: Buffer;
  readonly status: number;
}

/** Answers that are no longer repeated. */
export const EXPIRED_REPLAYS = deletedRows({
  step: 'expired-replays',
  table: 'replay',
  key: 'charge_id',
  due: 'expires_at <= now()',
  order: 'expires_at',
});

/** Reads charges, and renews or takes their leases. The ledger and the rails have the statements that move money. */
@Injectable()
export class ChargeRepository {
  constructor(private readonly db: Database) {}

  async find(id: string): Promise<Charge | undefined> {
    const row = await this.db.one(`select ${CHARGES.columns} from charge where id = $1`, [id], 'charge-find');
    return row && CHARGES.read(row);
  }

  /** Whether published files contain the charge's id, which makes the id public. */
  async isPublished(id: string): Promise<boolean> {
    const row = await this.db.one(
      'select true as is_published from published_charge where id = $1',
      [id],
      'charge-published',
    );
    return row !== undefined;
  }

  /** Whether a caller with this view sees the charge. */
  async isSeen(id: string, { owner, onlyKey, onlyMember }: View): Promise<boolean> {
    const row = await this.db.one(
      `select from charge c where id = $1 and payer = $2 and ${callIsSeen('c', '$3', '$4')}`,
      [id, owner, onlyKey, onlyMember],
      'charge-is-seen',
    );
    return row !== undefined;
  }

  /** The payer's only charge with this idempotency key that is not released. */
  async byMark(payer: string, mark: string): Promise<Charge | undefined> {
    const row = await this.db.one(
      `select ${CHARGES.columns} from charge where payer = $1 and mark = $2 and state <> 'released'`,
      [payer, mark],
      'charge-by-mark',
    );
    return row && CHARGES.read(row);
  }

  /**
   * The payer's newest call of the last ten minutes with this fingerprint and without a recorded arrival of its answer.
   */
  async newestUnanswered(payer: string, fingerprint: Buffer, key?: SpendingKey): Promise<Charge | undefined> {
    const row = await this.db.one(
      `select ${CHARGES.columns} from charge c
       where payer = $1 and fingerprint = $2 and state <> 'released' and created_at > now() - interval '10 minutes'
         and ($3::text is null or key_id = $3)
         and not exists (select from replay r where r.charge_id = c.id and r.delivered_at is not null)
       order by created_at desc limit 1`,
      [payer, fingerprint, key?.isDelegated === true ? key.id : undefined],
      'charge-unanswered',
    );
    return row && CHARGES.read(row);
  }

  /**
   * The payer's newest call with this fingerprint since the given time, if its charge is not released. The arrival of
   * its answer does not matter.
   */
  async newestSince(
    since: Date,
    payer: string,
    fingerprint: Buffer,
    key?: SpendingKey,
  ): Promise<Charge | undefined> {
    const row = await this.db.one(
      `select ${CHARGES.columns} from charge
       where payer = $1 and fingerprint = $2 and state <> 'released' and created_at >= $4
         and ($3::text is null or key_id = $3)
       order by created_at desc limit 1`,
      [payer, fingerprint, key?.isDelegated === true ? key.id : undefined, since],
      'charge-newest-since',
    );
    return row && CHARGES.read(row);
  }

  async replay(chargeId: string): Promise<StoredReplay | undefined> {
    const row = await this.db.one<{ answer: Buffer; status: number }>(
      'select answer, status from replay where charge_id = $1 and expires_at > now()',
      [chargeId],
      'replay-find',
    );
    return row && { sealed: row.answer, status: row.status };
  }

  async markDelivered(chargeIds: readonly string[]): Promise<void> {
    await this.db.rows(
      'update replay set delivered_at = now() where charge_id = any($1) and delivered_at is null',
      [chargeIds],
      'replay-delivered',
    );
  }

  async renewLeases(chargeIds: readonly string[]): Promise<void> {
    await this.db.rows(
      `update charge set lease_until = ${LEASE_UNTIL}
       where id in (
         select id from charge where id = any($1) and state in ('held', 'settling') order by id for update)`,
      [chargeIds],
      'charge-renew',
    );
  }

  /** Stores the provider's bill. The reconciliation compares the bill with the price. */
  async billed(id: string, cost: Micro): Promise<void> {
    await this.db.rows(
      'update charge set billed_micro = $2 where id = $1',
      [id, cost.toString()],
      'charge-billed',
    );
  }

  /** Ends the lease of a charge whose outcome is known, so that the sweep decides the charge without a wait. */
  async decideSoon(chargeId: string): Promise<void> {
    await this.db.rows(
      `update charge set lease_until = now() where id = $1 and state in ('held', 'settling') and lease_until > now()`,
      [chargeId],
      'charge-decide-soon',
    );
  }

  /** Takes charges whose lease has expired, under a new lease. No other process takes them while the new lease runs. */
  async takeAbandoned(limit: number): Promise<Charge[]> {
    const rows = await this.db.rows(
      `update charge set lease_until = ${LEASE_UNTIL}
       where id in (
         select id from charge where state in ('held', 'settling') and lease_until < now()
         order by lease_until limit $1 for update skip locked)
       returning ${CHARGES.columns}`,
      [limit],
      'charge-abandoned',
    );
    return rows.map(CHARGES.read);
  }

  async heldByRail(): Promise<ReadonlyMap<RailName, Micro>> {
    const rows = await this.db.rows<{ rail: RailName; held: string }>(
      `select rail, sum(price_micro)::text as held from charge where state in ('held', 'settling') group by rail`,
      [],
      'charge-held-by-rail',
    );
    return new Map(rows.map(({ rail, held }) => [rail, microFromText(held)]));
  }
}
