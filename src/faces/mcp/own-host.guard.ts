import { isIP } from 'node:net';

import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { isLoopback } from '#kernel/loopback';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';
import { ForeignOrigin } from './mcp.errors';

/** DNS rebinding needs a name. It can't change an IP address, and `localhost` is always this machine. */
const isSafeName = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || isIP(host.replace(/^\[|\]$/g, '')) !== 0;

const hostIn = (url: string): string | undefined => {
  try {
    return new URL(url).hostname;
  } catch {
    return undefined;
  }
};

/**
 * Refuses pages of other sites, including those that use DNS rebinding. The called host must be ours, and a calling
 * page must be ours or on this machine. Programs are admitted, because they send no Origin.
 */
@Injectable()
export class OwnHostGuard implements CanActivate {
  private readonly own: ReadonlySet<string>;
  private readonly origin: string;

  constructor(@Inject(SETTINGS) { http, serviceDomain }: HttpSettings) {
    const domain = hostIn(`http://${serviceDomain}`) ?? serviceDomain;
    this.own = new Set([new URL(http.publicUrl).hostname, domain]);
    this.origin = new URL(http.publicUrl).origin;
  }

  canActivate(context: ExecutionContext): boolean {
    const { headers, host } = context.switchToHttp().getRequest<FastifyRequest>();
    const called = hostIn(`http://${host}`);
    if (called === undefined || !(this.own.has(called) || isSafeName(called))) {
      throw new ForeignOrigin(
        `This service does not accept this host name. Call ${this.origin}/mcp; operators set PUBLIC_URL.`,
      );
    }
    const { origin } = headers;
    if (origin !== undefined && origin !== this.origin && !isLoopback(origin))
      throw new ForeignOrigin(`Pages of ${this.origin} may call this, and programs that send no Origin.`);
    return true;
  }
}
