import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { HttpSettings } from '../http/http.settings';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const FORWARDED_HEADERS = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'] as const;

export interface MetricsCaller {
  /** The address of the socket's peer. No header can forge it. */
  readonly peer: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Whether a host is the loopback of this machine. The host is an address or a name, with or without a port. */
const isLoopbackHost = (host: string): boolean => {
  if (!URL.canParse(`http://${host}`)) return false;
  const name = new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '');
  return name === 'localhost' || (isIP(name) !== 0 && isLoopback(name));
};

const isLoopback = (address: string): boolean => LOOPBACK.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

/**
 * Whether the service is reachable only from this machine: its public address and the address on which it listens are
 * both loopback. The peer's address alone is no proof. Behind a proxy on this machine, every caller has a loopback
 * peer, and not every proxy adds headers.
 */
export const staysOnMachine = ({ http }: Pick<HttpSettings, 'http'>): boolean =>
  isLoopbackHost(new URL(http.publicUrl).host) &&
  isLoopbackHost(isIPv6(http.host) ? `[${http.host}]` : http.host) &&
  http.trustedProxies.length === 0;

const isLocal = ({ peer, headers }: MetricsCaller): boolean =>
  peer !== undefined &&
  isLoopback(peer) &&
  isLoopbackHost(String(headers['host'] ?? '')) &&
  FORWARDED_HEADERS.every((name) => headers[name] === undefined);

/**
 * Whether a caller may read the metrics: it has the token, or it is on this machine and the service is reachable only
 * from here.
 */
export const mayReadMetrics = (caller: MetricsCaller, token: string | undefined, stays: boolean): boolean => {
  if (stays && isLocal(caller)) return true;
  const { authorization } = caller.headers;
  const given = typeof authorization === 'string' ? /^Bearer (.+)$/i.exec(authorization)?.[1] : undefined;
  return token !== undefined && given !== undefined && timingSafeEqual(digest(given), digest(token));
};
