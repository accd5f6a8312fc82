import { randomBytes } from 'node:crypto';

import { newId } from '#kernel/ids';
import type { Database, Queries } from '#platform/database/database';
import { constraintOf } from '#platform/database/error-fields';
import { hasPendingMigrations } from '#platform/database/migrations';
import { TOP_UP_MODEL } from '#money/billing/charges/operation';
import { Chain } from '../facilitators/chain';
import { MISFITS } from '../facilitators/facilitator';
import { ONE_CHARGE_EACH, X402PaymentRepository } from '../settlement/x402-payment.repository';
import { CREDIT_FORGOTTEN } from './credit-forgotten.sql';
import { type FoundTransfer, type Search, TransferSearch } from './transfer-search';
import { onNetwork } from '../facilitators/on-network';
import type { X402Settings } from '../x402.settings';

/**
 * The clocks of the database and of the chain may differ by this much. An earlier start is safe, because the recovery
 * recognises known payments.
 */
const SKEW_SECONDS = 60n;

/** A transfer by an authorization has these fields; a plain transfer does not. */
export type ForgottenPayment = FoundTransfer & Required<Pick<FoundTransfer, 'nonce'>>;

export interface Findings {
  readonly until: Search['until'];
  /** Payments that no charge has. */
  readonly forgotten: readonly ForgottenPayment[];
  /** The number of payments whose charges are not decided yet. */
  readonly open: number;
  /** Transfers without an authorization, which paid no call. */
  readonly plain: readonly FoundTransfer[];
}

/** `known` if a charge has the payment by now; `spent` if the transfer has paid another payment's charge. */
export type Credit =
  | { readonly outcome: 'credited'; readonly chargeId: string }
  | { readonly outcome: 'known' | 'spent' };

/** The reason why the recovery can't begin, for operators. */
export class CannotRecover extends Error {}

/**
 * The chain of each network. Leaves out a network without a chain or a node, and throws if no other network remains.
 */
export const chainsToSearch = <T extends X402Settings['x402']>(
  settings: T,
): readonly { readonly chain: Chain; readonly x402: T }[] => {
  const { networks } = settings;
  const obstacles = networks.map(({ facilitator, rpcUrls }) => {
    if (facilitator === 'sandbox') return 'X402_FACILITATOR is the sandbox: its settlements are on no chain.';
    return rpcUrls.length === 0 ? 'X402_RPC_URL is not set: there is no node to ask.' : undefined;
  });
  if (obstacles.every((one) => one !== undefined)) throw new CannotRecover(obstacles[0]!);
  return networks.flatMap((network, at) => {
    if (obstacles[at] !== undefined) return [];
    const x402 = onNetwork(settings, network);
    return { chain: new Chain(x402), x402 };
  });
};

/**
 * Compares the chain with a database that was restored to an earlier time. Unknown later payments become top-ups of the
 * paying wallets, because their calls are unknown as well.
 */
export class X402Recovery {
  private readonly payments: X402PaymentRepository;
  private readonly search: TransferSearch;

  constructor(
    private readonly db: Database,
    private readonly chain: Chain,
    private readonly x402: X402Settings['x402'],
    blocksAtOnce?: bigint,
  ) {
    this.payments = new X402PaymentRepository(db);
    this.search = new TransferSearch(chain, x402, blocksAtOnce);
  }

  async find(since: Date, onStep: (block: bigint, newest: bigint) => void): Promise<Findings> {
    if (await hasPendingMigrations(this.db))
      throw new CannotRecover('The schema is behind this version: run npm run migrate first.');
    const misfit = await this.chain.misfit();
    if (misfit !== undefined) throw new CannotRecover(`On ${this.x402.network} ${MISFITS[misfit]}.`);
    const seconds = BigInt(Math.floor(since.getTime() / 1_000)) - SKEW_SECONDS;
    const { until, transfers } = await this.search.since(seconds, onStep);
    const authorized = transfers.filter((one): one is ForgottenPayment => one.nonce !== undefined);
    const forgotten: ForgottenPayment[] = [];
    let open = 0;
    for (const payment of authorized) {
      const charge = await this.chargeOf(payment);
      if (charge === undefined) forgotten.push(payment);
      else if (charge.state === 'held' || charge.state === 'settling') open += 1;
    }
    return { until, forgotten, open, plain: transfers.filter(({ nonce }) => nonce === undefined) };
  }

  /**
   * Credits a payment once, even if several processes call it or one process calls it several times. `note` writes in
   * the same transaction.
   */
  async credit(
    payment: ForgottenPayment,
    note: (queries: Queries, chargeId: string) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<Credit> {
    const { network, asset } = this.x402;
    const { payer, nonce, payTo, amount, transaction, logIndex, block } = payment;
    const chargeId = newId('ch');
    const values = {
      network,
      asset,
      payer,
      nonce: Buffer.from(nonce.slice(2), 'hex'),
      chargeId,
      payTo,
      amount,
      time: await this.search.timeOf(block),
      transaction,
      logIndex,
      block,
      model: TOP_UP_MODEL,
      // No call can have this fingerprint, so no call gets an answer for this charge.
      fingerprint: randomBytes(32),
    };
    try {
      const isMade = await this.db.transaction(async (queries) => {
        const made = await queries.rows(...CREDIT_FORGOTTEN(values), 'x402-credit-forgotten');
        if (made.length === 1) await note(queries, chargeId);
        return made.length === 1;
      });
      return isMade ? { outcome: 'credited', chargeId } : { outcome: 'known' };
    } catch (error) {
      if (constraintOf(error) !== ONE_CHARGE_EACH) throw error;
      // Either another process has credited this payment meanwhile, or the transfer has paid another charge.
      return { outcome: (await this.chargeOf(payment)) === undefined ? 'spent' : 'known' };
    }
  }

  private chargeOf(payment: ForgottenPayment): ReturnType<X402PaymentRepository['earlier']> {
    return this.payments.earlier(
      { network: this.x402.network, asset: this.x402.asset, ...payment },
      undefined,
    );
  }
}
