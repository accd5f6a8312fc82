import type { Client } from 'oidc-provider' with { 'resolution-mode': 'import' };

const NAME_CHARS_MAX = 80;
/** Characters that hide or reorder others. */
const ODD = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu;

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');

/** An app that asks for consent. */
export interface ConnectingApp {
  readonly name: string;
  /** The host that vouches for the app, or to which its sign-in returns. */
  readonly host: string;
  /** Whether the app's own host says this name and this return address. Anybody can register any name. */
  readonly isVerified: boolean;
  readonly returnsTo: string;
  /** True if a program on the user's machine gets the answer, and not a site. */
  readonly isLocal: boolean;
  /** The source of the return address, for a content policy. */
  readonly source: string;
}

export const connectingApp = (client: Client, redirectUri: string): ConnectingApp => {
  const isVerified = client.clientId.startsWith('https://');
  const { protocol, hostname, host, origin } = new URL(redirectUri);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  const returnHost = isWeb ? hostname : protocol;
  const own = isVerified ? new URL(client.clientId).hostname : returnHost;
  const name = (client.clientName ?? '').replace(ODD, '').trim().slice(0, NAME_CHARS_MAX);
  return {
    name: name === '' ? own : name,
    host: own.slice(0, 255),
    isVerified,
    returnsTo: isWeb ? host : protocol,
    isLocal: isLoopback(hostname),
    // A policy can't name an address of IPv6.
    source: isWeb && !hostname.startsWith('[') ? origin : protocol,
  };
};
