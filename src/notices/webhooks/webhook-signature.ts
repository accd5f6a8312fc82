import { createHmac } from 'node:crypto';

import type { PublishedKey } from '#platform/config/published-keys';

const SECRET_PREFIX = 'whsec_';
const KEY_PREFIX = 'whpk_';

/** The kind of proof whose keys sign messages, all of them. */
export const WEBHOOK_KEYS = 'webhooks';

export interface SignedMessage {
  readonly id: string;
  /** The time in seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/** A secret as its owner sees it. */
export const secretText = (secret: Buffer): string => SECRET_PREFIX + secret.toString('base64');

export const secretBytes = (text: string): Buffer => Buffer.from(text.slice(SECRET_PREFIX.length), 'base64');

/** Our public key, in the form for verifiers of Standard Webhooks. */
export const publicKeyText = ({ publicBytes }: PublishedKey): string =>
  KEY_PREFIX + publicBytes.toString('base64');

/**
 * The headers of Standard Webhooks: `v1` with each of the receiver's secrets, and `v1a` with our own keys. Everybody
 * can verify `v1a`.
 */
export const signedHeaders = (
  { id, timestamp, body }: SignedMessage,
  secrets: readonly Buffer[],
  keys: readonly PublishedKey[],
): Readonly<Record<string, string>> => {
  const content = Buffer.from(`${id}.${timestamp}.${body}`);
  const shared = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`,
  );
  const own = keys.map((key) => `v1a,${key.sign(content).toString('base64')}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': [...shared, ...own].join(' '),
  };
};
