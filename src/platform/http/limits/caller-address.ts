import { isIPv4, isIPv6 } from 'node:net';

import type { FastifyRequest } from 'fastify';

/**
 * The name of all malformed addresses. They come from a proxy that passes on unchecked text, and count as one caller.
 */
const UNKNOWN = 'unknown';
const MAPPED = '0:0:0:0:0:ffff';
const NAT64 = '64:ff9b:0:0:0:0';

const wordsOf = (half: string): number[] =>
  half === '' ? [] : half.split(':').map((word) => Number.parseInt(word, 16));

/** The eight words of an IPv6 address in any spelling. */
const groupsOf = (address: string): readonly number[] => {
  const plain = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = '', tail] = plain.split('::');
  const front = wordsOf(head);
  const back = wordsOf(tail ?? '');
  return [...front, ...Array.from({ length: 8 - front.length - back.length }, () => 0), ...back];
};

const asIPv4 = (high = 0, low = 0): string => `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;

/**
 * One name for all addresses of a caller: an IPv4 address in any spelling, or the 64-bit network of an IPv6 address. An
 * internet provider gives each subscriber at least such a network.
 */
export const callerAt = (ip: string): string => {
  if (isIPv4(ip)) return ip;
  const [address = ''] = ip.split('%', 1);
  if (!isIPv6(address)) return UNKNOWN;
  const groups = groupsOf(address);
  const words = groups.map((group) => group.toString(16));
  const prefix = words.slice(0, 6).join(':');
  return prefix === MAPPED || prefix === NAT64
    ? asIPv4(groups[6], groups[7])
    : `${words.slice(0, 4).join(':')}::/64`;
};

/** Caches the last address, because each request needs it several times, and busy callers soon call again. */
let newest = { ip: '', caller: callerAt('') };

/** The caller's address in the form that all limits count. */
export const callerOf = (request: FastifyRequest): string => {
  const { ip } = request;
  if (newest.ip !== ip) newest = { ip, caller: callerAt(ip) };
  return newest.caller;
};
