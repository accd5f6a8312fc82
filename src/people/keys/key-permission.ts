import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { RateLimits } from '#platform/http/limits/rate-limits';
import { lateCallOf } from '#platform/http/inner-calls';
import type { ActingKey } from './acting-key';
import { type KeyUse, type RouteScope, refusalOf } from './key-scopes';
import { KeyScope } from './keys.errors';

type Caller = Pick<FastifyRequest, 'ip' | 'headers'>;
type Use = Omit<KeyUse, 'ip'>;

/** Operations on the whole account or wallet: a delegated key needs an explicit scope for them. */
const NAMED_ONLY: readonly (RouteScope | undefined)[] = ['references', 'webhooks'];

/** Checks a call against the scopes of its key and of all keys above it. */
@Injectable()
export class KeyPermission {
  constructor(private readonly limits: RateLimits) {}

  /** Checks the call, and also counts it, once for each request. */
  async require(key: ActingKey | undefined, request: Caller, use: Use): Promise<void> {
    if (key === undefined) return;
    this.check(key, request, use);
    for (const { id, scopes } of key.levels) {
      if (scopes?.perMinute !== undefined) await this.limits.countTo(scopes.perMinute, `key|${id}`);
    }
  }

  check(key: ActingKey, request: Caller, use: Use): void {
    // The address of a batch's call was checked when the batch was created.
    const ip = lateCallOf(request) === undefined ? request.ip : undefined;
    for (const { scopes } of key.levels) {
      const refusal = scopes && refusalOf(scopes, { ...use, ip });
      if (refusal !== undefined) throw new KeyScope(refusal);
    }
    if (key.isDelegated && NAMED_ONLY.includes(use.route) && !isNamed(key, use.route)) {
      const reason = `it needs ${use.route} among its routes, by name`;
      throw new KeyScope({ scope: 'routes', reason });
    }
  }
}

/** Whether the key, or one above it, names this route. A root without scopes names no route. */
const isNamed = ({ levels }: ActingKey, route: RouteScope | undefined): boolean =>
  levels.some(({ scopes }) => scopes?.routes?.some((named) => named === route) === true);
