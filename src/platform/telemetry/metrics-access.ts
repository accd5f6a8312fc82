import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIPv6 } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const FORWARDED_HEADERS = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'] as const;

export interface MetricsCaller {
  /** The socket's own peer, which no header can forge. */
  readonly peer: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const isLocal = ({ peer, headers }: MetricsCaller): boolean =>
  peer !== undefined &&
  LOOPBACK.check(peer, isIPv6(peer) ? 'ipv6' : 'ipv4') &&
  // Behind a proxy on the same machine the whole world has a loopback peer.
  FORWARDED_HEADERS.every((name) => headers[name] === undefined);

/** Who may read the metrics: this machine, and whoever knows the token. */
export const mayReadMetrics = (caller: MetricsCaller, token: string | undefined): boolean => {
  if (isLocal(caller)) {
    return true;
  }
  const { authorization } = caller.headers;
  const given = typeof authorization === 'string' ? /^Bearer (.+)$/i.exec(authorization)?.[1] : undefined;
  return token !== undefined && given !== undefined && timingSafeEqual(digest(given), digest(token));
};
