import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { accountLinks } from '#people/accounts/account-links';
import { MissingCredentials } from '#money/billing/calls/refused-call.errors';
import type { Payer } from '#money/billing/rails/payer';
import { Payers } from '#money/billing/rails/payers';
import { Rails } from '#money/billing/rails/rails';
import { AccessTokens } from '#people/oauth/access-tokens';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';
import { RequestSlot } from '#platform/http/request-slot';
import { getOrMake } from '#kernel/maps';

/** The query of the address for wallets. Tools answer there what to pay. */
const isForWallets = ({ query }: FastifyRequest): boolean =>
  (query as Readonly<Record<string, unknown>> | undefined)?.['payment'] === 'x402';

/**
 * Proves the caller of `/mcp` by an access token, a key, a session or a wallet's sign-in. A host that gets a 401 offers
 * its user to sign in. The address for wallets needs no credential.
 */
@Injectable()
export class McpAccess {
  private readonly passed = new RequestSlot<Promise<Payer | undefined>>();

  constructor(
    private readonly tokens: AccessTokens,
    private readonly rails: Rails,
    private readonly payers: Payers,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  /**
   * The proven caller; undefined at the address for wallets. Throws if the caller has no valid credential. It looks once
   * for each request.
   */
  pass(request: FastifyRequest): Promise<Payer | undefined> {
    return getOrMake(this.passed, request, () => this.prove(request));
  }

  private async prove(request: FastifyRequest): Promise<Payer | undefined> {
    await this.tokens.apply(request);
    if (isForWallets(request)) return undefined;
    const rail = this.rails.prepaidClaiming(request);
    if (rail === undefined) throw this.missing();
    return this.payers.provenIn(rail, request);
  }

  private missing(): Error {
    const { publicUrl } = this.settings.http;
    const { manageKeys, signIn } = accountLinks(publicUrl);
    return new MissingCredentials(
      'Sign in with OAuth, or send a key (x-api-key, or Bearer lp_…). A wallet that pays by x402 uses ' +
        `${publicUrl}/mcp?payment=x402 instead, without a credential.`,
      { links: { manageKeys, signIn } },
    );
  }
}
