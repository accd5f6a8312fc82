import type { Client } from 'oidc-provider' with { 'resolution-mode': 'import' };

import { isLoopback } from '#kernel/loopback';

const NAME_CHARS_MAX = 80;
const HOST_CHARS_MAX = 255;
/** Characters that hide or reorder others, or that show nothing. U+2800 is a pattern of Braille without dots. */
const ODD = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const SPACES = /\p{Z}+/gu;
/** Marks are drawn over their letter. Many of them cover other lines of the page. */
const MANY_MARKS = /(\p{M}{2})\p{M}+/gu;

/** The name as the page and our rows show it. The cut may leave half a character, which JSON in Postgres refuses. */
const shownName = (name: string): string =>
  name
    .replace(ODD, '')
    .replace(SPACES, ' ')
    .replace(MANY_MARKS, '$1')
    .trim()
    .slice(0, NAME_CHARS_MAX)
    .replace(ODD, '');

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
  const own = (isVerified ? new URL(client.clientId).hostname : returnHost).slice(0, HOST_CHARS_MAX);
  const name = shownName(client.clientName ?? '');
  return {
    name: name === '' ? own : name,
    host: own,
    isVerified,
    returnsTo: isWeb ? host : protocol,
    isLocal: isLoopback(redirectUri),
    // A policy can't name an address of IPv6.
    source: isWeb && !hostname.startsWith('[') ? origin : protocol,
  };
};
