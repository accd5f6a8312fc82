import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { RateLimits } from '../platform/http/limits/rate-limits';
import type { ActingKey } from './acting-key';
import { type KeyUse, type RouteScope, refusalOf } from './key-scopes';
import { KeyScope } from './keys.errors';

type Caller = Pick<FastifyRequest, 'ip'>;

/** What belongs to the whole of an account or a wallet: a key that money was handed to needs it said that it may. */
const NAMED_ONLY: readonly (RouteScope | undefined)[] = ['references', 'webhooks'];

/** Holds a call to the scopes of its key and of all keys above it. */
@Injectable()
export class KeyPermission {
  constructor(private readonly limits: RateLimits) {}

  /** Counts the call, too. Once for each request. */
  async require(key: ActingKey | undefined, request: Caller, use: Omit<KeyUse, 'ip'>): Promise<void> {
    if (key === undefined) return;
    this.check(key, request, use);
    for (const { id, scopes } of key.levels) {
      if (scopes?.perMinute !== undefined) await this.limits.countTo(scopes.perMinute, `key|${id}`);
    }
  }

  check(key: ActingKey, { ip }: Caller, use: Omit<KeyUse, 'ip'>): void {
    for (const { scopes = {} } of key.levels) {
      const refusal = refusalOf(scopes, { ...use, ip });
      if (refusal !== undefined) throw new KeyScope(refusal);
    }
    if (key.isDelegated && NAMED_ONLY.includes(use.route) && !isNamed(key, use.route)) {
      const reason = `it needs ${use.route} among its routes, by name`;
      throw new KeyScope({ scope: 'routes', reason });
    }
  }
}

/** By itself, or by a key above whose word it inherits; a root that is not limited names nothing. */
const isNamed = ({ levels }: ActingKey, route: RouteScope | undefined): boolean =>
  levels.some(({ scopes }) => scopes?.routes?.some((named) => named === route) === true);
