import { createHash } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { Clock } from '../../../../kernel/clock';
import type { Micro } from '../../../../kernel/money';
import type { WalletAddress } from '../../../../kernel/wallet-address';
import { Database } from '../../../../platform/database/database';
import { constraintOf, sqlStateOf } from '../../../../platform/database/error-fields';
import { SqlState } from '../../../../platform/database/sql-state';
import { tableOf } from '../../../../platform/database/table';
import type { PartState } from '../../../../platform/health/health-parts';
import { type ChainOutcome, Facilitator, type SettleAttempt, type Verdict } from './facilitator';
import type { ClaimedPayment, SignedPayment } from '../proof/signed-payment';
import { SandboxAuthorization, SandboxWallet } from './sandbox-chain.entity';

/** Takes the amount from a wallet that has a balance here; one without has all the money in the world. */
const TRANSFER = `
  with debited as (
    update sandbox_wallet set balance_micro = balance_micro - $4::bigint
    where wallet = $1 and balance_micro >= $4::bigint returning wallet
  ), covered as (
    select wallet from debited
    union all
    select $1 where not exists (select from sandbox_wallet where wallet = $1)
  )
  insert into sandbox_authorization (payer, nonce, outcome, pay_to, amount_micro, tx_hash)
  select wallet, $2::bytea, 'used', $3, $4::bigint, $5 from covered
  returning tx_hash`;

const AUTHORIZATIONS = tableOf(SandboxAuthorization);
const WALLETS = tableOf(SandboxWallet);

const nonceOf = ({ nonce }: SignedPayment): Buffer => Buffer.from(nonce.slice(2), 'hex');

/** A chain in a table: real signatures, real rules, no network and no value. */
@Injectable()
export class SandboxFacilitator extends Facilitator {
  readonly isPlay = true;
  readonly paysGas = false;
  readonly forgets = false;
  readonly seesBalances = true;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  async verify(payment: SignedPayment): Promise<Verdict> {
    if ((await this.find(payment)) !== undefined) {
      return { outcome: 'refused', fault: 'payment_already_used' };
    }
    const balance = await this.balanceOf(payment.payer);
    return balance !== undefined && balance < payment.amount
      ? { outcome: 'refused', fault: 'insufficient_funds' }
      : { outcome: 'valid' };
  }

  async settle(payment: ClaimedPayment): Promise<SettleAttempt> {
    if (this.isExpired(payment)) {
      return { outcome: 'refused', fault: 'expires_too_soon' };
    }
    const hash = createHash('sha256').update(payment.payer).update(nonceOf(payment)).digest('hex');
    try {
      const row = await this.db.one<{ tx_hash: string }>(
        TRANSFER,
        [payment.payer, nonceOf(payment), payment.payTo, payment.amount, `0x${hash}`],
        'sandbox-transfer',
      );
      return row === undefined
        ? { outcome: 'refused', fault: 'insufficient_funds' }
        : { outcome: 'settled', transaction: row.tx_hash, logIndex: 0 };
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
    if (row === undefined) {
      return { outcome: 'unsettled', final: this.isExpired(payment) };
    }
    // A nonce that was used for another amount, or to somebody else, is used up and has paid nothing here.
    const isOwn = row.payTo === payment.payTo && row.amount === payment.amount;
    return row.transaction === undefined || !isOwn
      ? { outcome: 'unsettled', final: true }
      : { outcome: 'settled', transaction: row.transaction, logIndex: 0 };
  }

  async balanceOf(wallet: WalletAddress): Promise<Micro | undefined> {
    const row = await this.db.one(
      `select ${WALLETS.columns} from sandbox_wallet where wallet = $1`,
      [wallet],
      'sandbox-balance',
    );
    return row && WALLETS.read(row).balance;
  }

  contractAccepts(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  recentBlock(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  state(): Promise<PartState> {
    return Promise.resolve('ok');
  }

  private async find(payment: SignedPayment): Promise<SandboxAuthorization | undefined> {
    const row = await this.db.one(
      `select ${AUTHORIZATIONS.columns} from sandbox_authorization where payer = $1 and nonce = $2::bytea`,
      [payment.payer, nonceOf(payment)],
      'sandbox-authorization',
    );
    return row && AUTHORIZATIONS.read(row);
  }

  private isExpired({ validBefore }: SignedPayment): boolean {
    return validBefore * 1_000n <= BigInt(this.clock.now().getTime());
  }
}
