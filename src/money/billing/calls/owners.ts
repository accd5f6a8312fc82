import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';

import { accountLinks } from '#people/accounts/account-links';
import { RoleRequired } from '#people/accounts/accounts.errors';
import { WHOLE_VIEW_ROLES } from '#people/accounts/roles';
import type { RouteScope } from '#people/keys/key-scopes';
import { KeyScope } from '#people/keys/keys.errors';
import { type View, isWholeView, viewOf } from '#people/keys/visible-rows';
import { AppError } from '#kernel/app-error';
import { AccountFunds } from '../ledger/account-funds';
import type { PayableCall } from '../rails/payable-call';
import type { Payer } from '../rails/payer';
import { Payers } from '../rails/payers';
import { PrepaidRail } from '../rails/prepaid-rail';
import { Rails } from '../rails/rails';
import { MissingCredentials } from './refused-call.errors';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

const PAID_MAX = 10_000;

/** The owner of the objects that a request is about: references, jobs and others that outlast a call. */
export interface ProvenOwner {
  /** The account's id, or the wallet in lower case. */
  readonly id: string;
  /** The id that rate limits count: the key, or else the owner. */
  readonly limitedAs: string;
  readonly ledgerAccount: string;
  /** The payer as the rail has proven it. */
  readonly payer: Payer;
  /** The rows that the caller sees. */
  readonly view: View;
}

/** Proves the owner by a key, a session or a wallet's sign-in. A payment alone proves no owner. */
@Injectable()
export class Owners {
  /** Owners who have paid at least once, and therefore count as paying for ever. */
  private readonly paid = new LRUCache<string, true>({ max: PAID_MAX });

  constructor(
    private readonly rails: Rails,
    private readonly funds: AccountFunds,
    private readonly payers: Payers,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  /** `route` is the name of the route in scopes. `sees` refuses callers who see too little of the owner's rows. */
  async ownerIn(
    request: FastifyRequest,
    route: RouteScope,
    sees?: 'whole' | 'everything',
  ): Promise<ProvenOwner> {
    const owner = ownerFrom(await this.payerIn(request, route));
    if (sees !== undefined && owner.view.onlyKey !== undefined)
      throw new KeyScope({
        scope: 'routes',
        reason: 'this is for the owner of the money, and not for delegated keys',
      });
    if (sees === 'everything' && !isWholeView(owner.view))
      throw new RoleRequired(WHOLE_VIEW_ROLES, 'developer');
    return owner;
  }

  /** Refuses a wallet's sign-in for objects that outlast it. Its signature is valid for minutes. */
  refuseSignIn({ payer: { key, acting } }: ProvenOwner, objects: string): void {
    if (key !== undefined || acting !== undefined) return;
    throw this.missing(
      `${objects} take an API key (x-api-key, or Bearer lp_…) or a session. A wallet makes a key at POST /v1/agent/keys.`,
    );
  }

  async payerIn(request: FastifyRequest, route: RouteScope): Promise<Payer> {
    const payer = await this.payers.provenIn(this.claimed(request), request);
    await this.payers.require(payer, request, { route });
    return payer;
  }

  /** Whether the caller's scopes allow routes of this name. */
  async may(request: FastifyRequest, route: RouteScope): Promise<boolean> {
    return (await this.refusalOf(request, route)) === undefined;
  }

  /** Whether the caller has a key whose scopes exclude routes of this name, or routes without a name. */
  async isScopedOut(request: FastifyRequest, route: RouteScope | undefined): Promise<boolean> {
    return (await this.refusalOf(request, route)) instanceof KeyScope;
  }

  private async refusalOf(
    request: FastifyRequest,
    route: RouteScope | undefined,
  ): Promise<AppError | undefined> {
    try {
      const payer = await this.payers.provenIn(this.claimed(request), request);
      this.payers.check(payer, request, { route });
      return undefined;
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }

  /** Returns those of the given owners whose key or session has ended, or whose account is closed. */
  async endedOf(owners: readonly ProvenOwner[]): Promise<ReadonlySet<ProvenOwner>> {
    const ended = await Promise.all(
      this.rails.all
        .filter((rail) => rail instanceof PrepaidRail)
        .map((rail) => rail.endedOf(owners.map(({ payer }) => payer))),
    );
    const payers = new Set(ended.flat());
    return new Set(owners.filter(({ payer }) => payers.has(payer)));
  }

  /** Refuses a request without any credential of an owner. */
  requireClaim(request: FastifyRequest): void {
    this.claimed(request);
  }

  /** Whether the owner has ever paid. Owners who have never paid have limits for free use. */
  async hasPaid({ id, ledgerAccount }: Pick<ProvenOwner, 'id' | 'ledgerAccount'>): Promise<boolean> {
    if (this.paid.has(id)) return true;
    if (!(await this.funds.hasPaid(ledgerAccount))) return false;
    this.paid.set(id, true);
    return true;
  }

  private claimed(request: FastifyRequest): PrepaidRail {
    const rail = this.rails.prepaidClaiming(request);
    if (rail !== undefined) return rail;
    throw this.missing(
      'This belongs to an account or a wallet: send a key (x-api-key, or Bearer lp_…) or Sign-In-With-X.',
    );
  }

  private missing(text: string): AppError {
    const { manageKeys, signIn } = accountLinks(this.settings.http.publicUrl);
    return new MissingCredentials(text, { links: { manageKeys, signIn } });
  }

  /**
   * On the prepaid rails the payer is the owner. An on-chain payment needs another credential that proves the owner.
   */
  async ownerOf({ payer, request }: PayableCall, route: RouteScope): Promise<ProvenOwner> {
    if (payer?.ledgerAccount === undefined) return this.ownerIn(request, route);
    this.payers.check(payer, request, { route });
    return ownerFrom(payer);
  }
}

const ownerFrom = (payer: Payer): ProvenOwner => {
  const { id, limitedAs, ledgerAccount = '' } = payer;
  return { id, limitedAs, ledgerAccount, payer, view: viewOf(id, payer) };
};
