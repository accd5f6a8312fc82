import { Logger } from '@nestjs/common';

import type { FirstHook } from '../first-hook';

/** Warns once if a proxy is not in TRUSTED_PROXIES, because all its callers then count as one address. */
export const warnOfUntrustedProxy = (): FirstHook => {
  const logger = new Logger('TrustedProxies');
  let warned = false;
  return (request) => {
    // If the peer is a trusted proxy, `ips` contains further addresses.
    if (!warned && request.headers['x-forwarded-for'] && (request.ips?.length ?? 1) === 1) {
      warned = true;
      logger.warn(
        `X-Forwarded-For from ${request.socket.remoteAddress ?? 'a peer'} is ignored: set TRUSTED_PROXIES to the ` +
          'addresses of your own proxies, or limits will count the proxy as one caller.',
      );
    }
  };
};
