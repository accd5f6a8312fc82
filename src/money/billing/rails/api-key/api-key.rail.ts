import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { accountLinks } from '#people/accounts/account-links';
import { budgetIdOf } from '#people/accounts/budget-id';
import { SessionAccounts } from '#people/accounts/session-accounts';
import { grantedKeyOf } from '#people/keys/granted-key';
import { keyIn } from '#people/keys/key-header';
import { KeyLookup } from '#people/keys/key-lookup';
import { type ActingKey, keyProof } from '#people/keys/acting-key';
import { ifPresent } from '#kernel/present';
import type { WalletAddress } from '#kernel/wallet-address';
import { CREDITS, creditsAccount, walletAccount } from '../../ledger/account-id';
import { LedgerRepository } from '../../ledger/ledger.repository';
import { PrepaidRail } from '../prepaid-rail';
import type { Payer } from '../payer';
import type { RailFacts } from '../rail-facts';
import { CREDENTIAL_HEADERS } from '../rails';
import { WalletTierRepository } from '../../prices/wallet-tier.repository';
import { WalletRail } from '../wallet/wallet.rail';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';
import type { PriceSettings } from '#models/catalog/prices.settings';

/** Charges calls to an account's credits, by a key or by the session of its owner. */
@Injectable()
export class ApiKeyRail extends PrepaidRail {
  static readonly facts: RailFacts = {
    name: 'api-key',
    accounts: CREDITS,
    headers: ['x-api-key', 'x-goog-api-key', 'authorization'],
    secrets: [/(lp_)()[A-Za-z0-9]{20,}/g],
    schemes: {
      apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      bearerKey: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'lp_ and 64 characters',
        description: 'The same key: `Bearer lp_…`.',
      },
    },
    manifest: { header: 'x-api-key, or Authorization: Bearer', account: true, discount: 'none' },
  };

  constructor(
    ledger: LedgerRepository,
    private readonly keys: KeyLookup,
    private readonly sessions: SessionAccounts,
    private readonly tiers: WalletTierRepository,
    @Inject(SETTINGS) settings: HttpSettings & PriceSettings,
    @Inject(CREDENTIAL_HEADERS) private readonly credentialHeaders: readonly string[],
  ) {
    const { topUp, manageKeys } = accountLinks(settings.http.publicUrl);
    super(ledger, settings.price.chatFloor, topUp, manageKeys);
  }

  claims(request: FastifyRequest): boolean {
    return (
      keyIn(request) !== undefined || grantedKeyOf(request) !== undefined || this.isSessionAlone(request)
    );
  }

  /** Finds the account or the wallet behind a key, or the account behind a session. */
  async payerOf(request: FastifyRequest): Promise<Payer> {
    const sent = keyIn(request);
    const granted = grantedKeyOf(request);
    if (sent === undefined && granted === undefined) return this.signedIn(request);
    const key = await (sent === undefined ? this.keys.identifyHash(granted!) : this.keys.identify(sent));
    return key.wallet === undefined ? this.accountOf(key.accountId!, key) : this.walletOf(key, key.wallet);
  }

  /** Also finds the ended payers among those with keys of wallets and with sessions. */
  override async endedOf(payers: readonly Payer[]): Promise<readonly Payer[]> {
    const ours = payers.filter(({ key, rail }) => key !== undefined || rail === this.name);
    const [keys, sessions] = await Promise.all([
      this.keys.livingAmong(ours.flatMap(({ key }) => (key === undefined ? [] : keyProof(key)))),
      this.sessions.openAmong(ours.flatMap(({ key, proof }) => (key === undefined ? String(proof) : []))),
    ]);
    return ours.filter(({ key, proof }) =>
      key === undefined ? !sessions.has(String(proof)) : !keys.has(keyProof(key)),
    );
  }

  private async signedIn(request: FastifyRequest): Promise<Payer> {
    const acting = await this.sessions.requireActing(request);
    const provenBy = `session ${acting.session.replace('/', ' ')}`;
    const budgetId = budgetIdOf(acting.organisation.id, acting.person.id);
    return { ...this.accountOf(acting.organisation.id), acting, budgetId, provenBy, proof: acting.session };
  }

  /** A key of a wallet pays as the wallet, with the wallet's rail, balance and tier. */
  private async walletOf(key: ActingKey, wallet: WalletAddress): Promise<Payer> {
    return {
      rail: WalletRail.facts.name,
      id: wallet,
      wallet,
      ledgerAccount: walletAccount(wallet),
      key,
      provenBy: keyProof(key),
      limitedAs: wallet,
      discountPercent: await this.tiers.percentOf(wallet),
    };
  }

  private accountOf(id: string, key?: ActingKey): Payer {
    return {
      rail: this.name,
      id,
      ledgerAccount: creditsAccount(id),
      key,
      budgetId: key?.budgetId,
      provenBy: ifPresent(key, keyProof),
      limitedAs: key?.rootKeyId ?? id,
      discountPercent: 0,
    };
  }

  /** A browser sends its cookie with every request, so any other credential has priority. */
  private isSessionAlone(request: FastifyRequest): boolean {
    return (
      this.sessions.claims(request) &&
      this.credentialHeaders.every((name) => request.headers[name] === undefined)
    );
  }
}
