import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { AppError } from '../kernel/app-error';
import { OauthAddresses } from '../oauth/oauth-addresses';
import { McpAccess } from './mcp-access';

/** Refuses callers without a valid credential, and names the document by which a host finds out how to sign in. */
@Injectable()
export class McpAccessGuard implements CanActivate {
  constructor(
    private readonly access: McpAccess,
    private readonly addresses: OauthAddresses,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    try {
      await this.access.pass(http.getRequest<FastifyRequest>());
      return true;
    } catch (error) {
      if (error instanceof AppError && error.kind === 'unauthenticated') {
        const challenge = `Bearer resource_metadata="${this.addresses.resourceMetadata}"`;
        void http.getResponse<FastifyReply>().header('www-authenticate', challenge);
      }
      throw error;
    }
  }
}
