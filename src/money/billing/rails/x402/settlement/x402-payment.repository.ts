import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';

import type { WalletAddress } from '#kernel/wallet-address';
import { StatementBatcher, SerialQueue } from '#platform/database/statement-batcher';
import { Database } from '#platform/database/database';
import { constraintOf, sqlStateOf } from '#platform/database/error-fields';
import { type OrdinalRow, byColumn, byOrdinal, indexOfRow } from '#platform/database/batch-rows';
import { SqlState } from '#platform/database/sql-state';
import type { ChargeDraft, SettledAnswer } from '#money/billing/charges/charge';
import type { ChargeState } from '#money/billing/charges/charge.entity';
import type { Transfer } from '../facilitators/facilitator';
import type { PaymentFault } from '../proof/payment-fault-messages';
import type { ClaimedPayment, SignedPayment } from '../proof/signed-payment';
import { IS_WASTEFUL, WASTED } from './wasteful-payers.sql';
import { CARRIED_BY, FINAL, LOST, TAKE_WATCHED } from './x402-finality.sql';
import type { X402Payment } from './x402-payment.entity';
import {
  BEGIN_SETTLING_MANY,
  CHARGED_ANY,
  CHARGED_CALLS,
  CLAIMS,
  CLAIM_MANY,
  type Claiming,
  CREDIT_LATE_FAILURE,
  EARLIER_MANY,
  FIND_PAYMENT,
  IN_DOUBT,
  PAYMENTS,
  RELEASED,
  SOME_SETTLE,
  type SeenBalance,
  bytes,
} from './x402-payment.sql';

/** The SQLSTATE that Postgres raises if a payer with a strike opens a second call. */
const ONE_AT_A_TIME = 'LP005';
/** The SQLSTATE that Postgres raises if a payer's payments have repeatedly cost us gas for nothing. */
const WASTEFUL = 'LP007';
/** The unique index by which one transfer pays only one charge. */
export const ONE_CHARGE_EACH = 'x402_payment_transfer';
const DUPLICATES: ReadonlySet<string> = new Set(['charge_mark', 'x402_payment_identifier']);

export type StoredPayment = ClaimedPayment &
  Pick<X402Payment, 'transaction' | 'logIndex'> & { readonly state: ChargeState };

export interface EarlierCharge {
  readonly id: string;
  readonly state: ChargeState;
  readonly fingerprint: Buffer;
  readonly sameNonce: boolean;
}

export type Claim = 'claimed' | 'taken' | 'short' | 'one-at-a-time' | 'wasteful';

const toPayment = (row: QueryResultRow): ClaimedPayment & Pick<X402Payment, 'transaction' | 'logIndex'> => {
  const payment = PAYMENTS.read(row);
  return { ...payment, signature: payment.signature ?? '0x' };
};

/** The identity of a payment. */
export type PaymentKey = Pick<SignedPayment, 'network' | 'asset' | 'payer' | 'nonce'>;

interface MarkedCharge {
  readonly payment: PaymentKey;
  readonly paymentId: string | undefined;
}

interface Settling {
  readonly answer: SettledAnswer;
  readonly from: ChargeState;
}

interface Charging {
  readonly chargeId: string;
  readonly transfer: Transfer;
  /** If true, the service checks the payment until it is final. */
  readonly watch: boolean;
}

/** `decided` if the charge was no longer settling; `spent` if this transfer has paid another charge. */
type Charged = 'charged' | 'decided' | 'spent';

/**
 * The payments' rows. Each method is one statement that changes the charge, its payment and the payer together.
 * Concurrent calls share the statements that every paid call needs.
 */
@Injectable()
export class X402PaymentRepository {
  private readonly queue = new SerialQueue();
  private readonly earlierCharges = new StatementBatcher<MarkedCharge, readonly EarlierCharge[]>({
    batch: (marks) => this.earlierMany(marks),
    alone: async (mark) => (await this.earlierMany([mark]))[0] ?? [],
  });
  private readonly claims = new StatementBatcher<Claiming, Claim>({
    queue: this.queue,
    batch: (claims) => this.claimMany(claims),
    alone: (claim) => this.claimOne(claim),
  });
  private readonly settlings = new StatementBatcher<Settling, ClaimedPayment | undefined>({
    queue: this.queue,
    batch: (settlings) => this.settleMany(settlings),
  });
  private readonly chargings = new StatementBatcher<Charging, Charged>({
    queue: this.queue,
    batch: (chargings) => this.chargeMany(chargings),
    alone: (charging) => this.chargeOne(charging),
  });

  constructor(private readonly db: Database) {}

  claim(
    draft: ChargeDraft,
    payment: SignedPayment,
    paymentId: string | undefined,
    seen: SeenBalance,
  ): Promise<Claim> {
    return this.claims.add({ draft, payment, paymentId, seen });
  }

  private async claimMany(claims: readonly Claiming[]): Promise<('claimed' | undefined)[]> {
    const rows = await this.db.rows<OrdinalRow>(CLAIM_MANY, CLAIMS.valuesOf(claims), 'x402-claim');
    return byOrdinal(rows, claims.length, () => 'claimed');
  }

  private async claimOne(claim: Claiming): Promise<Claim> {
    try {
      return (await this.claimMany([claim]))[0] ?? 'taken';
    } catch (error) {
      const constraint = constraintOf(error);
      if (sqlStateOf(error) === ONE_AT_A_TIME) return 'one-at-a-time';
      if (sqlStateOf(error) === WASTEFUL) return 'wasteful';
      if (constraint === 'x402_payer_exposure') return 'short';
      if (sqlStateOf(error) === SqlState.uniqueViolation && DUPLICATES.has(constraint)) return 'taken';
      throw error;
    }
  }

  /**
   * Whether a payment of this payer is in flight. The payer's balance may then lack the money of a payment that is
   * still open here.
   */
  async someSettle(payer: WalletAddress): Promise<boolean> {
    return (await this.db.rows(SOME_SETTLE, [payer], 'x402-some-settle')).length > 0;
  }

  /** The existing charge with this nonce, or else with this identifier of the same payer. */
  async earlier(payment: PaymentKey, paymentId: string | undefined): Promise<EarlierCharge | undefined> {
    const found = await this.earlierCharges.add({ payment, paymentId });
    return found.find(({ sameNonce }) => sameNonce) ?? found[0];
  }

  private async earlierMany(marks: readonly MarkedCharge[]): Promise<EarlierCharge[][]> {
    const values = marks.map(({ payment, paymentId }) => [...keyOf(payment), paymentId]);
    const rows = await this.db.rows<
      Omit<EarlierCharge, 'sameNonce'> & OrdinalRow & { readonly same_nonce: boolean }
    >(EARLIER_MANY, byColumn(values), 'x402-earlier');
    const found = marks.map((): EarlierCharge[] => []);
    for (const row of rows) {
      const { id, state, fingerprint, same_nonce: sameNonce } = row;
      found[indexOfRow(row)]?.push({ id, state, fingerprint, sameNonce });
    }
    return found;
  }

  /** Undefined if another process has decided the charge, so that it can't be settled from this state. */
  beginSettling(answer: SettledAnswer, from: ChargeState): Promise<ClaimedPayment | undefined> {
    return this.settlings.add({ answer, from });
  }

  private async settleMany(settlings: readonly Settling[]): Promise<(ClaimedPayment | undefined)[]> {
    const values = settlings.map(({ answer: { chargeId, jobId, replay }, from }) => [
      chargeId,
      from,
      jobId,
      replay?.status,
      replay?.sealed,
      replay?.seconds,
    ]);
    const rows = await this.db.rows<OrdinalRow>(BEGIN_SETTLING_MANY, byColumn(values), 'x402-settling');
    return byOrdinal(rows, settlings.length, toPayment);
  }

  charged(chargeId: string, transfer: Transfer, watch: boolean): Promise<Charged> {
    return this.chargings.add({ chargeId, transfer, watch });
  }

  /** `CHARGED_CALLS` leaves out top-ups and charges with jobs, which `chargeOne` charges one by one. */
  private async chargeMany(
    chargings: readonly Charging[],
    [statement, name] = [CHARGED_CALLS, 'x402-charged'],
  ): Promise<('charged' | undefined)[]> {
    const values = chargings.map(({ chargeId, transfer: { transaction, logIndex }, watch }) => [
      chargeId,
      transaction.toLowerCase(),
      watch,
      logIndex,
    ]);
    const rows = await this.db.rows<OrdinalRow>(statement, byColumn(values), name);
    return byOrdinal(rows, chargings.length, () => 'charged');
  }

  private async chargeOne(charging: Charging): Promise<Charged> {
    try {
      const [call] = await this.chargeMany([charging]);
      if (call !== undefined) return call;
      const [other] = await this.chargeMany([charging], [CHARGED_ANY, 'x402-charged-any']);
      return other ?? 'decided';
    } catch (error) {
      if (constraintOf(error) === ONE_CHARGE_EACH) return 'spent';
      throw error;
    }
  }

  /** False if the charge had another state. A `fault` of the payer gives the payer a strike. */
  async released(chargeId: string, from: 'held' | 'settling', fault?: PaymentFault): Promise<boolean> {
    const values = [chargeId, [from], isPayersDoing(fault) ? 1 : 0, fault];
    return (await this.db.rows(RELEASED, values, 'x402-released')).length === 1;
  }

  /** Counts a settlement of this payer that failed on the network. */
  async wasted(payer: WalletAddress): Promise<void> {
    await this.db.rows(WASTED, [payer], 'x402-wasted');
  }

  /** Whether an account has money that calls may spend. */
  async holdsBalance(accountId: string): Promise<boolean> {
    const row = await this.db.one<{ held: boolean }>(
      'select balance_micro > reserved_micro as held from ledger_account where id = $1',
      [accountId],
      'x402-holds-balance',
    );
    return row?.held === true;
  }

  async isWasteful(payer: WalletAddress): Promise<boolean> {
    return (await this.db.rows(IS_WASTEFUL, [payer], 'x402-is-wasteful')).length > 0;
  }

  async inDoubt(chargeId: string, why: string): Promise<void> {
    await this.db.rows(IN_DOUBT, [chargeId, why], 'x402-in-doubt');
  }

  /** False if the charge has nothing to credit, or if its credit was already made. */
  async creditLateFailure(chargeId: string): Promise<boolean> {
    return (await this.db.rows(CREDIT_LATE_FAILURE, [chargeId], 'x402-late-failure')).length === 1;
  }

  /** Takes charged payments whose next check is due. If this process dies, another process takes them later. */
  async takeWatched(limit: number): Promise<ClaimedPayment[]> {
    return (await this.db.rows(TAKE_WATCHED, [limit], 'x402-take-watched')).map(toPayment);
  }

  /** Stores the other transaction that contains the transfer now. */
  async carriedBy(chargeId: string, { transaction, logIndex }: Transfer): Promise<void> {
    await this.db.rows(CARRIED_BY, [chargeId, transaction.toLowerCase(), logIndex], 'x402-carried-by');
  }

  async final(chargeId: string, { transaction, logIndex }: Transfer): Promise<void> {
    await this.db.rows(FINAL, [chargeId, transaction.toLowerCase(), logIndex], 'x402-final');
  }

  /** Records that the payment is lost. False if the loss was already known. */
  async lost(chargeId: string): Promise<boolean> {
    return (await this.db.rows(LOST, [chargeId], 'x402-lost')).length === 1;
  }

  async find(chargeId: string): Promise<StoredPayment | undefined> {
    const row = await this.db.one<{ state: ChargeState }>(FIND_PAYMENT, [chargeId], 'x402-find');
    return row && { ...toPayment(row), state: row.state };
  }
}

/** A high network fee is not the payer's fault. */
const isPayersDoing = (fault: PaymentFault | undefined): boolean =>
  fault !== undefined && fault !== 'fee_too_high';

const keyOf = ({ network, asset, payer, nonce }: PaymentKey): unknown[] => [
  network,
  asset,
  payer,
  bytes(nonce),
];
