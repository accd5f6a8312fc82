import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Inject, Injectable } from '@nestjs/common';
import { getOrMake } from '#kernel/maps';
import { SETTINGS } from './settings';
import type { SigningSettings } from './signing.settings';
import type { DatabaseSettings } from '../database/database.settings';

/** The file below the data folder with the secret that the service made. */
export const SECRET_FILE = 'signing-secret';
const MAC_BYTES = 16;

/**
 * Without `SIGNING_SECRET`, the service creates the secret once and stores it with the data, so all that it signs
 * stays valid after a restart.
 */
const storedSecret = (dataDir: string): string => {
  const path = join(dataDir, SECRET_FILE);
  mkdirSync(dataDir, { recursive: true });
  try {
    writeFileSync(path, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8').trim();
};

/**
 * Keys for signing and encryption, one for each purpose, all derived from one secret. During a change of the secret,
 * the service also accepts signatures and encryptions by the other secret.
 */
@Injectable()
export class SigningKeys {
  private readonly secrets: readonly string[];
  private readonly known = new Map<string, readonly [Buffer, ...Buffer[]]>();

  constructor(
    @Inject(SETTINGS) { signingSecret, signingSecretPrevious, dataDir }: SigningSettings & DatabaseSettings,
  ) {
    this.secrets = [signingSecret ?? storedSecret(dataDir), signingSecretPrevious ?? []].flat();
  }

  /** Whether there are two secrets, and so two keys for each purpose. */
  get isChanging(): boolean {
    return this.secrets.length > 1;
  }

  /** The key that signs and encrypts new things. */
  key(purpose: string): Buffer {
    return this.keys(purpose)[0];
  }

  /** All valid keys; the first one signs and encrypts new things. */
  keys(purpose: string): readonly [Buffer, ...Buffer[]] {
    const keyOf = (secret: string): Buffer =>
      Buffer.from(hkdfSync('sha256', secret, '', `lamppost ${purpose}`, 32));
    return getOrMake(this.known, purpose, () => this.secrets.map(keyOf) as [Buffer, ...Buffer[]]);
  }

  /** Keys of one object, derived from those of the purpose. No other object's keys decrypt its data. */
  keysOf(purpose: string, ...object: readonly (string | Buffer)[]): readonly [Buffer, ...Buffer[]] {
    return this.keys(purpose).map((key) =>
      object.reduce((hmac, part) => hmac.update(part), createHmac('sha256', key)).digest(),
    ) as [Buffer, ...Buffer[]];
  }

  sign(purpose: string, text: string): Buffer {
    return this.signatures(purpose, text)[0];
  }

  /** The signatures by each valid key. */
  signatures(purpose: string, text: string): readonly [Buffer, ...Buffer[]] {
    return this.keys(purpose).map((key) => createHmac('sha256', key).update(text).digest()) as [
      Buffer,
      ...Buffer[],
    ];
  }

  /** The length to which a signature is cut. */
  mac(purpose: string, text: string): Buffer {
    return this.sign(purpose, text).subarray(0, MAC_BYTES);
  }

  isMac(purpose: string, text: string, given: Buffer): boolean {
    return (
      given.length === MAC_BYTES &&
      this.signatures(purpose, text).some((signature) =>
        timingSafeEqual(given, signature.subarray(0, MAC_BYTES)),
      )
    );
  }

  /** Signs `text`, so that the service can trust it when a caller sends it back. */
  seal(purpose: string, text: string): string {
    return `${Buffer.from(text).toString('base64url')}.${this.mac(purpose, text).toString('base64url')}`;
  }

  /** The text of `seal`, or undefined if this service did not sign it. */
  unseal(purpose: string, sealed: string): string | undefined {
    const [body = '', mac = ''] = sealed.split('.', 2);
    const text = Buffer.from(body, 'base64url').toString();
    return this.isMac(purpose, text, Buffer.from(mac, 'base64url')) ? text : undefined;
  }
}
