import { ifPresent } from '#kernel/present';
import type { Credentials } from '../http/credentials';

/** The text that replaces a secret. */
export const REDACTED = '[redacted]';

/** A shorter secret is not replaced in a text, because it would match versions and parts of ordinary words. */
export const SECRET_CHARS_MIN = 8;

/** The text that replaces a caller's own text or media, which are private and must not be in a log. */
export const WITHHELD = '[withheld]';

const TEXT_CHARS_MAX = 8_192;
const DEPTH_MAX = 6;
const ITEMS_MAX = 50;

/**
 * Names of fields with secrets. They are compared in lower case without `-` and `_`, so that headers and properties
 * match.
 */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'authorization',
  'proxyauthorization',
  'apikey',
  'cookie',
  'setcookie',
  'password',
  'token',
  'secret',
  'secretkey',
  'signingsecret',
  'privatekey',
  'relayerkey',
  'signature',
]);

const PRIVATE_NAMES: ReadonlySet<string> = new Set(['prompt', 'messages', 'label', 'content', 'rawbody']);

/** A transaction hash looks exactly like a private key, so the log shows such a value only under these names. */
const HASH_NAMES: ReadonlySet<string> = new Set(['transaction', 'transactionhash', 'txhash', 'blockhash']);

/** Headers with credentials: of callers, of browsers, or of the service itself at a vendor. */
const SECRET_HEADERS = ['(?:proxy-)?authorization', '(?:x-)?api-key', '(?:set-)?cookie'];

const SECRETS_IN_TEXT: readonly RegExp[] = [
  /(bearer|basic)(\s+)[A-Za-z0-9._~+/=-]{6,}/gi,
  // The password in addresses such as postgres://user:password@host.
  /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*)(:)[^\s/@]+(?=@)/gi,
];

const KEY_LIKE = /(?<![0-9a-fA-F])(?:0x)?[0-9a-fA-F]{64}(?![0-9a-fA-F])/g;

// With control characters a caller could forge lines or colours. With bidirectional characters a caller could change
// the order of the text.
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
// eslint-disable-next-line no-control-regex
const CONTROLS_BUT_LINES = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escaped = (char: string): string =>
  SHORT[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The most texts in the cache, which has only short texts, because long texts seldom repeat. */
const KNOWN_MAX = 1_000;
const KNOWN_CHARS_MAX = 100;

/** Caches short results. `mayStay` decides which texts may stay in memory. */
const remembering = (mayStay: (text: string, found: string) => boolean, find: (text: string) => string) => {
  const known = new Map<string, string>();
  return (text: string): string => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const found = find(text);
    if (text.length <= KNOWN_CHARS_MAX && mayStay(text, found)) {
      if (known.size >= KNOWN_MAX) known.clear();
      known.set(text, found);
    }
    return found;
  };
};

const plain = remembering(
  () => true,
  (name: string) => name.toLowerCase().replaceAll(/[-_]/g, ''),
);

export interface Scrubber {
  /** Makes a text safe for a log: it removes secrets, escapes control characters and limits the length. */
  readonly scrubText: (text: string) => string;
  /** Makes any value safe for a log. It limits depth and width, so that a log line is cheap. */
  readonly scrubValue: (value: unknown) => unknown;
}

/** Makes the functions that hide secrets. They also hide callers' credentials in the forms that features register. */
export const createScrubber = ({ headers, secrets }: Credentials): Scrubber => {
  const secretNames = new Set([...SECRET_NAMES, ...headers.map(plain)]);
  const secretsInText = [
    // The headers with credentials, in the form in which they may appear in a message.
    new RegExp(`(${[...SECRET_HEADERS, ...headers].join('|')})(["']?\\s*[:=]\\s*["']?)[^"'\\r\\n]+`, 'gi'),
    ...SECRETS_IN_TEXT,
    ...secrets,
  ];

  const withoutSecrets = (text: string): string => {
    const cut = text.length > TEXT_CHARS_MAX ? `${text.slice(0, TEXT_CHARS_MAX)}…` : text;
    return secretsInText.reduce((kept, secret) => kept.replace(secret, `$1$2${REDACTED}`), cut);
  };

  /** Caches only texts without a secret. */
  const scrubText = remembering(
    (text, scrubbed) => scrubbed === text,
    (text) => withoutSecrets(text).replace(KEY_LIKE, REDACTED).replace(CONTROLS, escaped),
  );

  const scrubStack = (stack: string): string =>
    withoutSecrets(stack).replace(KEY_LIKE, REDACTED).replace(CONTROLS_BUT_LINES, escaped);

  /** Keeps only the fields that every error has, because drivers attach whole statements with their parameters. */
  const scrubError = (error: Error, depth: number): Readonly<Record<string, unknown>> => {
    const { code } = error as { code?: unknown };
    return {
      type: error.name,
      message: scrubText(error.message),
      code: typeof code === 'string' || typeof code === 'number' ? scrubValue(code, depth + 1) : undefined,
      stack: ifPresent(error.stack, scrubStack),
      cause: ifPresent(error.cause, (cause) => scrubValue(cause, depth + 1)),
    };
  };

  const scrubField = (name: string, value: unknown, depth: number): unknown => {
    const plainName = plain(name);
    if (value === undefined || value === null) return value;
    if (secretNames.has(plainName)) return REDACTED;
    if (PRIVATE_NAMES.has(plainName)) return WITHHELD;
    if (typeof value === 'string' && plainName === 'stack') return scrubStack(value);
    if (typeof value === 'string' && HASH_NAMES.has(plainName))
      return withoutSecrets(value).replace(CONTROLS, escaped);
    return scrubValue(value, depth + 1);
  };

  const scrubValue = (value: unknown, depth = 0): unknown => {
    switch (typeof value) {
      case 'string':
        return scrubText(value);
      case 'bigint':
        return value.toString();
      case 'object':
        break;
      case 'function':
      case 'symbol':
        return undefined;
      default:
        return value;
    }
    if (value === null || value instanceof Date) return value;
    if (depth >= DEPTH_MAX) return '[deep]';
    if (value instanceof Error) return scrubError(value, depth);
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map((item) => scrubValue(item, depth + 1));
    return Object.fromEntries(
      Object.entries(value)
        .slice(0, ITEMS_MAX)
        .map(([name, field]) => [scrubText(name), scrubField(name, field, depth)]),
    );
  };

  return { scrubText, scrubValue };
};
