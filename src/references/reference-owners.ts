import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { accountLinks } from '../accounts/account-links';
import { MissingCredentials } from '../billing/calls/calls.errors';
import type { PaidCall } from '../billing/calls/paid-call';
import { walletAccount } from '../billing/ledger/account-id';
import { ApiKeyRail } from '../billing/rails/api-key/api-key.rail';
import type { Payer } from '../billing/rails/payer';
import { Sanctions } from '../identity/sanctions';
import { WalletSignIn } from '../identity/wallet-sign-in';
import { SETTINGS, type Settings } from '../platform/config/settings';

/** Whose library a request speaks of. */
export interface ReferenceOwner {
  /** The account's id, or the wallet in lower case. */
  readonly id: string;
  /** Whom limits count: the key, else the owner. */
  readonly limitedAs: string;
  /** Where its money is. */
  readonly accountId: string;
}

/** Proves the owner by a key, a session or a wallet's sign-in. A payment alone proves none. */
@Injectable()
export class ReferenceOwners {
  constructor(
    private readonly keys: ApiKeyRail,
    private readonly signIn: WalletSignIn,
    private readonly sanctions: Sanctions,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Refuses a request that does not even say whose library is meant. */
  requireClaim(request: FastifyRequest): void {
    if (!this.keys.claims(request) && this.signIn.headerOf(request) === undefined) {
      const { manageKeys, signIn } = accountLinks(this.settings.http.publicUrl);
      throw new MissingCredentials(
        'References belong to an account or a wallet: send a key (x-api-key, or Bearer lp_…) or Sign-In-With-X.',
        { links: { manageKeys, signIn } },
      );
    }
  }

  async ownerIn(request: FastifyRequest): Promise<ReferenceOwner> {
    this.requireClaim(request);
    if (this.keys.claims(request)) {
      return ownerFrom(await this.keys.payerOf(request));
    }
    const wallet = await this.signIn.walletOf(request);
    this.sanctions.refuseWallet(wallet);
    return { id: wallet, limitedAs: wallet, accountId: walletAccount(wallet) };
  }

  /** On the prepaid rails who pays is the owner; beside a payment on chain another credential says who it is. */
  async ownerOf({ payer, request }: PaidCall): Promise<ReferenceOwner> {
    return payer === undefined || payer.rail === 'x402' ? this.ownerIn(request) : ownerFrom(payer);
  }
}

const ownerFrom = ({ id, limitedAs, accountId = '' }: Payer): ReferenceOwner => ({
  id,
  limitedAs,
  accountId,
});
