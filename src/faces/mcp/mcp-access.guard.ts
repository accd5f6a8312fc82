import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { Owners } from '#money/billing/calls/owners';
import type { Payer } from '#money/billing/rails/payer';
import { AppError } from '#kernel/app-error';
import { OauthAddresses } from '#people/oauth/oauth-addresses';
import { countInnerAs, showOwnLimit, uncountCall } from '#platform/http/limits/address-limits';
import { RateLimits } from '#platform/http/limits/rate-limits';
import { McpAccess } from './mcp-access';

/** Refuses callers without a valid credential, and names the document by which a host finds out how to sign in. */
@Injectable()
export class McpAccessGuard implements CanActivate {
  constructor(
    private readonly access: McpAccess,
    private readonly addresses: OauthAddresses,
    private readonly owners: Owners,
    private readonly limits: RateLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    try {
      const payer = await this.access.pass(request);
      if (payer !== undefined) await this.count(payer, request, reply);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.kind === 'unauthenticated') {
        const challenge = `Bearer resource_metadata="${this.addresses.resourceMetadata}"`;
        void reply.header('www-authenticate', challenge);
      }
      throw error;
    }
  }

  /**
   * Counts a proven caller by the owner. All users of a hosted client have its address. So the messages of a paying
   * owner do not count there, not even those above the own limit.
   */
  private async count(
    { id, limitedAs, ledgerAccount = '' }: Payer,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    if (await this.owners.hasPaid({ id, ledgerAccount })) {
      uncountCall(request, reply);
      countInnerAs(request, limitedAs);
    }
    showOwnLimit(request, reply, await this.limits.count('free', `mcp|${limitedAs}`));
  }
}
