import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { WalletSignIn } from '../../../identity/wallet-sign-in';
import { walletAccount } from '../../ledger/account-id';
import { LedgerRepository } from '../../ledger/ledger.repository';
import { PayerStanding } from '../../standing/payer-standing';
import type { PaidCall } from '../../calls/paid-call';
import { PrepaidRail } from '../prepaid-rail';
import type { Payer } from '../rail';
import { X402Challenge } from '../x402/challenge';

/** Spends what a wallet has topped up; the wallet proves itself with a signed header. */
@Injectable()
export class WalletRail extends PrepaidRail {
  readonly name = 'wallet';

  constructor(
    ledger: LedgerRepository,
    private readonly signIn: WalletSignIn,
    private readonly standing: PayerStanding,
    private readonly challenge: X402Challenge,
  ) {
    super(ledger);
  }

  claims(request: FastifyRequest): boolean {
    return this.signIn.headerOf(request) !== undefined;
  }

  identify({ request }: PaidCall): Promise<Payer> {
    return this.payerOf(request);
  }

  async payerOf(request: FastifyRequest): Promise<Payer> {
    const wallet = await this.signIn.walletOf(request);
    return {
      rail: this.name,
      id: wallet,
      wallet,
      accountId: walletAccount(wallet),
      limitedAs: wallet,
      discountPercent: await this.standing.tierPercent(wallet),
    };
  }

  /** A wallet that can't pay from its balance may still pay this one call on chain. */
  shortOf(call: PaidCall, payer: Payer): Promise<Error> {
    const problem = {
      code: 'INSUFFICIENT_FUNDS',
      message:
        "This wallet's balance does not cover the call. Top up at POST /v1/agent/x402/top-up, or pay this call by itself.",
    } as const;
    return this.challenge.paymentRequired(call, call.price ?? call.priced.list, problem, payer.wallet);
  }
}
