import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { accountLinks } from '../../../accounts/account-links';
import { SessionAccounts } from '../../../accounts/session-accounts';
import { keyIn } from '../../../keys/key-header';
import { KeyAuthority } from '../../../keys/key-authority';
import { SETTINGS, type Settings } from '../../../platform/config/settings';
import { KeySpendLimit } from '../../charges/charges.errors';
import type { PayableCall } from '../payable-call';
import { CREDITS, creditsAccount } from '../../ledger/account-id';
import { LedgerRepository } from '../../ledger/ledger.repository';
import { PrepaidRail } from '../prepaid-rail';
import type { Payer } from '../payer';
import type { RailFacts } from '../rail-facts';
import { CREDENTIAL_HEADERS } from '../rails';

/** Calls that an account's credits pay, by a key or by the session of its owner. */
@Injectable()
export class ApiKeyRail extends PrepaidRail {
  static readonly facts: RailFacts = {
    name: 'api-key',
    accounts: CREDITS,
    headers: ['x-api-key', 'authorization'],
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
    private readonly keys: KeyAuthority,
    private readonly sessions: SessionAccounts,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CREDENTIAL_HEADERS) private readonly credentialHeaders: readonly string[],
  ) {
    super(ledger, settings.price.chatFloor, accountLinks(settings.http.publicUrl).topUp);
  }

  claims(request: FastifyRequest): boolean {
    return keyIn(request) !== undefined || this.isSessionAlone(request);
  }

  /** The account behind a key or a session, for routes that are not paid call by call. */
  async payerOf(request: FastifyRequest): Promise<Payer> {
    const key = keyIn(request);
    if (key === undefined) {
      const { id } = await this.sessions.requireAccount(request);
      return { ...this.payerFor(id), proof: this.sessions.nameIn(request) };
    }
    const { accountId, keyId } = await this.keys.identify(key);
    return this.payerFor(accountId, keyId);
  }

  override async endedOf(payers: readonly Payer[]): Promise<readonly Payer[]> {
    const [keys, sessions] = await Promise.all([
      this.keys.goodAmong(payers.flatMap(({ keyId }) => keyId ?? [])),
      this.sessions.openAmong(
        payers.flatMap(({ keyId, proof }) => (keyId === undefined ? String(proof) : [])),
      ),
    ]);
    return payers.filter(({ keyId, proof }) =>
      keyId === undefined ? !sessions.has(String(proof)) : !keys.has(keyId),
    );
  }

  /** A key that may spend no more has no money either, whatever its account holds. */
  override async requireCover(call: PayableCall): Promise<boolean> {
    const payer = call.payer!;
    const { balance, keyLeft } = await this.ledger.spendable(payer.ledgerAccount ?? '', payer.keyId);
    if (balance < call.price!) throw await this.shortOf(call, payer);
    if (keyLeft !== undefined && keyLeft < call.price!) {
      throw new KeySpendLimit(accountLinks(this.settings.http.publicUrl).manageKeys);
    }
    return true;
  }

  private payerFor(accountId: string, keyId?: string): Payer {
    return {
      rail: this.name,
      id: accountId,
      ledgerAccount: creditsAccount(accountId),
      keyId,
      limitedAs: keyId ?? accountId,
      discountPercent: 0,
    };
  }

  /** A browser sends its cookie unasked: whatever else was sent speaks for the request before it does. */
  private isSessionAlone(request: FastifyRequest): boolean {
    return (
      this.sessions.claims(request) &&
      this.credentialHeaders.every((name) => request.headers[name] === undefined)
    );
  }
}
