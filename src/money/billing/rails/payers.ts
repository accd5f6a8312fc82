import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { Sanctions } from '#people/identity/sanctions';
import { KeyPermission } from '#people/keys/key-permission';
import type { KeyUse } from '#people/keys/key-scopes';
import { parseWallet } from '#kernel/wallet-address';
import type { PayableCall } from './payable-call';
import type { Payer } from './payer';
import type { PrepaidRail } from './prepaid-rail';
import type { PaymentRail } from './rail';

/**
 * The only place that finds the payer or the owner of a request, and checks whether they may be served. Every route
 * uses it, and no route asks a rail (`test/contract/who-pays.spec.ts`), so all routes refuse the same callers.
 */
@Injectable()
export class Payers {
  constructor(
    private readonly sanctions: Sanctions,
    private readonly permission: KeyPermission,
  ) {}

  /** The payer of this call, by the credential of a rail. */
  async paying(rail: PaymentRail, call: PayableCall): Promise<Payer> {
    return this.served(await rail.identify(call));
  }

  /** The payer that the headers alone prove. */
  async provenIn(rail: PrepaidRail, request: FastifyRequest): Promise<Payer> {
    return this.served(await rail.payerOf(request));
  }

  /** The payer, if the payer has money for any call at all; undefined if the headers prove no payer. */
  async backing(rail: PaymentRail | undefined, request: FastifyRequest): Promise<string | undefined> {
    const backer = await rail?.provenPayerOf(request);
    this.sanctions.refuseWallet(parseWallet(backer ?? ''));
    return backer;
  }

  /** Checks a call against the scopes of the payer's key and counts it, once for each request. */
  require({ key }: Payer, request: FastifyRequest, use: Omit<KeyUse, 'ip'>): Promise<void> {
    return this.permission.require(key, request, use);
  }

  /** Checks a call against the scopes of the payer's key, without counting it. */
  check({ key }: Payer, request: FastifyRequest, use: Omit<KeyUse, 'ip'>): void {
    if (key !== undefined) this.permission.check(key, request, use);
  }

  private served(payer: Payer): Payer {
    requireOwnAccount(payer);
    this.sanctions.refuseWallet(payer.wallet);
    return payer;
  }
}

/** Statements and the transparency log find the owner of a ledger account by the part behind its prefix. */
const requireOwnAccount = ({ rail, id, ledgerAccount }: Payer): void => {
  if (ledgerAccount === undefined || ledgerAccount.slice(ledgerAccount.indexOf(':') + 1) === id) return;
  throw new Error(
    `The rail ${rail} must name the ledger account of a payer <accounts>:<id>, with the payer's own id.`,
  );
};
