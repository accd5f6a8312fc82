import { isIP } from 'node:net';

import { isPrivateName, isPublicAddress } from './private-address';

const URL_CHARS_MAX = 4_096;
const PORTS: ReadonlySet<string> = new Set(['', '80', '443']);

// The URL parser drops or converts these characters silently. Another reader of the same address could then see another
// host.
// eslint-disable-next-line no-control-regex
const AMBIGUOUS = /[\u0000-\u0020\u007f\\]/;

/** The reason why an address is refused, in a form that a caller may see. */
export class RefusedAddress extends Error {}

/** The text is not an address. */
export class InvalidAddress extends RefusedAddress {}

export interface FetchTarget {
  readonly url: URL;
  /** Without brackets and without a trailing dot. */
  readonly host: string;
  /** Whether the operator's list contains the host. Such a host may be private, and may use plain http and any port. */
  readonly isAllowed: boolean;
}

const hostOf = (url: URL): string =>
  url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();

/** The operator's list, as `host` or `host:port`. Without a port, all ports of the host are allowed. */
export class AllowedHosts {
  private readonly entries: readonly { readonly host: string; readonly port?: string }[];

  constructor(list: readonly string[]) {
    this.entries = list.map((entry) => {
      const port = /:(\d+)$/.exec(isIP(entry) === 6 ? '' : entry)?.[1];
      const host =
        isIP(entry) === 6 ? `[${entry}]` : entry.slice(0, entry.length - (port ? port.length + 1 : 0));
      // The parser of callers' addresses also reads this list, so a host has the same spelling in both.
      return { host: hostOf(new URL(`http://${host}`)), port };
    });
  }

  has(url: URL): boolean {
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    return this.entries.some((entry) => entry.host === hostOf(url) && (entry.port ?? port) === port);
  }
}

/**
 * Parses an address with the same parser as the connection. It converts decimal, octal, hex, short and fullwidth forms
 * of an IP address into the plain form. The check reads only this form.
 */
export const targetOf = (text: string, allowed: AllowedHosts, base?: URL, plainHttp = false): FetchTarget => {
  if (text.length > URL_CHARS_MAX || AMBIGUOUS.test(text) || !URL.canParse(text, base?.href)) {
    const why = 'it is not a valid https address';
    throw base === undefined ? new InvalidAddress(why) : new RefusedAddress(why);
  }
  const url = new URL(text, base);
  const host = hostOf(url);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new RefusedAddress('only https addresses are fetched');
  }
  if (url.username !== '' || url.password !== '') {
    throw new RefusedAddress('an address with a user name or a password is not fetched');
  }
  if (base?.protocol === 'https:' && url.protocol === 'http:') {
    throw new RefusedAddress('it redirects from https to http');
  }
  if (allowed.has(url)) {
    return { url, host, isAllowed: true };
  }
  if (url.protocol !== 'https:' && !plainHttp) {
    throw new RefusedAddress('only https addresses are fetched');
  }
  if (!PORTS.has(url.port)) {
    throw new RefusedAddress('only the ports 80 and 443 are fetched from');
  }
  if (isIP(host) === 0 ? isPrivateName(host) : !isPublicAddress(host)) {
    throw new RefusedAddress('its host has no public address');
  }
  return { url, host, isAllowed: false };
};
