import { createHash, timingSafeEqual } from 'node:crypto';

import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { SETTINGS, type Settings } from '../platform/config/settings';
import { callerOf } from '../platform/http/limits/caller-address';
import { RateLimits } from '../platform/http/limits/rate-limits';
import { NotAnAdmin } from './admin.errors';
import { RefusedOperators } from './refused-operators';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Lets operators in by the one token. Wrong ones are counted by address, because this token can be guessed for ever. */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly limits: RateLimits,
    private readonly refused: RefusedOperators,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    void http.getResponse<FastifyReply>().header('cache-control', 'no-store');
    const given = /^bearer +(.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const { adminToken } = this.settings;
    // Digests are of one length, and comparing them takes as long however much of the token is right.
    if (adminToken !== undefined && timingSafeEqual(digest(given), digest(adminToken))) {
      return true;
    }
    await this.refused.note(request);
    await this.limits.count('signIn', `admin:${callerOf(request)}`);
    throw new NotAnAdmin();
  }
}
