import { createHash } from 'node:crypto';

import { Clock } from '#kernel/clock';
import type { Micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
import { constraintOf, sqlStateOf } from '#platform/database/error-fields';
import { SqlState } from '#platform/database/sql-state';
import type { PartState } from '#platform/health/health-parts';
import { type ChainOutcome, Facilitator, type SettleAttempt, type Verdict } from './facilitator';
import type { ClaimedPayment, SignedPayment } from '../proof/signed-payment';
import type { SandboxAuthorization } from './sandbox-chain.entity';
import type { SandboxChainRepository } from './sandbox-chain.repository';

const nonceOf = ({ nonce }: SignedPayment): Buffer => Buffer.from(nonce.slice(2), 'hex');

/** Simulates a chain in a table: with real signatures and real rules, but without a network and without value. */
export class SandboxFacilitator extends Facilitator {
  readonly isPlay = true;
  readonly paysGas = false;
  readonly forgets = false;
  readonly seesBalances = true;

  constructor(
    private readonly chain: SandboxChainRepository,
    private readonly clock: Clock,
  ) {
    super();
  }

  async verify(payment: SignedPayment): Promise<Verdict> {
    if ((await this.find(payment)) !== undefined)
      return { outcome: 'refused', fault: 'payment_already_used' };
    const balance = await this.balanceOf(payment.payer);
    return balance !== undefined && balance < payment.amount
      ? { outcome: 'refused', fault: 'insufficient_funds' }
      : { outcome: 'valid' };
  }

  async settle(payment: ClaimedPayment): Promise<SettleAttempt> {
    if (this.isExpired(payment)) return { outcome: 'refused', fault: 'expires_too_soon' };
    const hash = createHash('sha256')
      .update(payment.network)
      .update(payment.payer)
      .update(nonceOf(payment))
      .digest('hex');
    try {
      const transaction = await this.chain.transfer(payment, nonceOf(payment), `0x${hash}`);
      return transaction === undefined
        ? { outcome: 'refused', fault: 'insufficient_funds' }
        : { outcome: 'settled', transaction, logIndex: 0 };
    } catch (error) {
      if (
        sqlStateOf(error) === SqlState.uniqueViolation &&
        constraintOf(error) === 'PK_sandbox_authorization'
      ) {
        return { outcome: 'refused', fault: 'payment_already_used' };
      }
      throw error;
    }
  }

  async outcome(payment: ClaimedPayment): Promise<ChainOutcome> {
    const row = await this.find(payment);
    if (row === undefined) return { outcome: 'unsettled', final: this.isExpired(payment) };
    // A nonce that was used for another amount or recipient is spent, and has paid nothing here.
    const isOwn = row.payTo === payment.payTo && row.amount === payment.amount;
    return row.transaction === undefined || !isOwn
      ? { outcome: 'unsettled', final: true }
      : { outcome: 'settled', transaction: row.transaction, logIndex: 0 };
  }

  balanceOf(wallet: WalletAddress): Promise<Micro | undefined> {
    return this.chain.balanceOf(wallet);
  }

  state(): Promise<PartState> {
    return Promise.resolve('ok');
  }

  private find(payment: SignedPayment): Promise<SandboxAuthorization | undefined> {
    return this.chain.find(payment.network, payment.payer, nonceOf(payment));
  }

  private isExpired({ validBefore }: SignedPayment): boolean {
    return validBefore * 1_000n <= BigInt(this.clock.now().getTime());
  }
}
