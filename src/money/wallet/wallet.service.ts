import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import type { PaidCall } from '#money/billing/calls/paid-call';
import { walletAccount } from '#money/billing/ledger/account-id';
import { AccountFunds } from '#money/billing/ledger/account-funds';
import { Payers } from '#money/billing/rails/payers';
import { WalletRail } from '#money/billing/rails/wallet/wallet.rail';
import { microToJson } from '#kernel/money';
import { type WalletAddress, checksummed, parseWallet } from '#kernel/wallet-address';
import { sequenceIn } from '#platform/http/routes/page-query';
import type { TopUpAnswer, TopUpBody, WalletBalanceAnswer, WalletTransactionsAnswer } from './wallet.dto';
import { InvalidWallet } from './wallet.errors';

const walletOf = (text: string): WalletAddress => {
  const wallet = parseWallet(text);
  if (wallet === undefined) throw new InvalidWallet();
  return wallet;
};

/** Shows the balance and the ledger of a wallet to everybody. Only the wallet itself sees charge ids and models. */
@Injectable()
export class WalletService {
  constructor(
    private readonly funds: AccountFunds,
    private readonly rail: WalletRail,
    private readonly payers: Payers,
  ) {}

  async balance(text: string): Promise<WalletBalanceAnswer> {
    const wallet = walletOf(text);
    const [balance, reserved] = await Promise.all([
      this.funds.balance(walletAccount(wallet)),
      this.funds.reserved(walletAccount(wallet)),
    ]);
    return {
      wallet: checksummed(wallet),
      balanceMicro: microToJson(balance),
      reservedMicro: microToJson(reserved),
    };
  }

  async transactions(
    request: FastifyRequest,
    text: string,
    limit: number,
    cursor: string | undefined,
  ): Promise<WalletTransactionsAnswer> {
    const wallet = walletOf(text);
    const before = sequenceIn(cursor);
    // A charge id permits access to its charge, so only the wallet itself sees it in the ledger.
    const own = this.rail.claims(request) && (await this.payers.provenIn(this.rail, request)).id === wallet;
    const { entries, next } = await this.funds.page(walletAccount(wallet), { limit, before });
    return {
      wallet: checksummed(wallet),
      transactions: entries.map((entry) => ({
        id: `${checksummed(wallet)}-${entry.sequence}`,
        kind: entry.kind,
        amountMicro: microToJson(entry.amount),
        balanceAfterMicro: microToJson(entry.balanceAfter),
        chargeId: own ? entry.chargeId : undefined,
        modelId: own ? entry.modelId : undefined,
        transaction: entry.transaction,
        network: entry.network,
        createdAt: entry.createdAt.toISOString(),
      })),
      nextCursor: next === undefined ? null : String(next),
    };
  }

  /**
   * The answer to a settled top-up. It contains the amount of the charge, because the query may name another amount.
   */
  async toppedUp({ charge }: PaidCall<TopUpBody>): Promise<TopUpAnswer> {
    if (charge === undefined) throw new Error('A top-up is answered only after its settlement.');
    const { wallet, balanceMicro } = await this.balance(charge.payer);
    return { wallet, topUpMicro: microToJson(charge.price), balanceMicro };
  }
}
