import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { SIGN_IN_HEADERS, WalletSignIn } from '#people/identity/wallet-sign-in';
import { WALLETS, walletAccount } from '../../ledger/account-id';
import { LedgerRepository } from '../../ledger/ledger.repository';
import { WalletTierRepository } from '../../prices/wallet-tier.repository';
import type { PayableCall } from '../payable-call';
import { PrepaidRail } from '../prepaid-rail';
import type { Payer } from '../payer';
import type { RailFacts } from '../rail-facts';
import { X402Challenge } from '../x402/challenge/challenge';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';
import type { PriceSettings } from '#models/catalog/prices.settings';

/** Charges calls to the topped-up balance of a wallet, which proves itself with a signed header. */
@Injectable()
export class WalletRail extends PrepaidRail {
  static readonly facts: RailFacts = {
    name: 'wallet',
    accounts: WALLETS,
    headers: SIGN_IN_HEADERS,
    schemes: {
      walletSignIn: {
        type: 'apiKey',
        in: 'header',
        name: 'Sign-In-With-X',
        description: 'A signed EIP-4361 message and its signature as JSON, base64.',
        // Crawlers of paid APIs use this name.
        'x-agentcash-auth-kind': 'siwx',
      },
    },
    manifest: { header: 'Sign-In-With-X', account: false, discount: 'the tier of the wallet' },
  };

  constructor(
    ledger: LedgerRepository,
    private readonly signIn: WalletSignIn,
    private readonly tiers: WalletTierRepository,
    private readonly challenge: X402Challenge,
    @Inject(SETTINGS) settings: HttpSettings & PriceSettings,
  ) {
    const { publicUrl } = settings.http;
    super(ledger, settings.price.chatFloor, `${publicUrl}/v1/agent/x402/top-up`);
  }

  claims(request: FastifyRequest): boolean {
    return this.signIn.headerOf(request) !== undefined;
  }

  async payerOf(request: FastifyRequest): Promise<Payer> {
    const wallet = await this.signIn.walletOf(request);
    return {
      rail: this.name,
      id: wallet,
      wallet,
      ledgerAccount: walletAccount(wallet),
      limitedAs: wallet,
      discountPercent: await this.tiers.percentOf(wallet),
    };
  }

  /** A wallet without enough balance may still pay this call on chain. */
  override shortOf(call: PayableCall, payer: Payer): Promise<Error> {
    if (call.route.rails?.includes('x402') === false) return super.shortOf(call, payer);
    const problem = {
      code: 'INSUFFICIENT_FUNDS',
      message:
        "This wallet's balance does not cover the call. Top up at POST /v1/agent/x402/top-up, or pay this call by itself.",
    } as const;
    return this.challenge.paymentRequired(call, call.price ?? call.priced.list, problem, payer.wallet);
  }
}
