import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Inject, Injectable } from '@nestjs/common';

import { SETTINGS, type Settings } from './settings';

const SECRET_FILE = 'signing-secret';

/** In development the secret is made once and kept with the data, so that quotes and sessions outlive a restart. */
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

/** Keys for what the service signs or encrypts, one for each purpose, all from the one secret. */
@Injectable()
export class SigningKeys {
  private readonly secret: string;
  private readonly keys = new Map<string, Buffer>();

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.secret = settings.signingSecret ?? storedSecret(settings.dataDir);
  }

  key(purpose: string): Buffer {
    let key = this.keys.get(purpose);
    if (key === undefined) {
      key = Buffer.from(hkdfSync('sha256', this.secret, '', `lamppost ${purpose}`, 32));
      this.keys.set(purpose, key);
    }
    return key;
  }

  sign(purpose: string, text: string): Buffer {
    return createHmac('sha256', this.key(purpose)).update(text).digest();
  }

  /** `text` in a form that can be handed to callers and trusted when it comes back. */
  seal(purpose: string, text: string): string {
    const mac = this.sign(purpose, text).subarray(0, 16).toString('base64url');
    return `${Buffer.from(text).toString('base64url')}.${mac}`;
  }

  /** What `seal` was given, or undefined when this isn't a seal of ours. */
  unseal(purpose: string, sealed: string): string | undefined {
    const [body = '', mac = ''] = sealed.split('.', 2);
    const text = Buffer.from(body, 'base64url').toString();
    const given = Buffer.from(mac, 'base64url');
    const expected = this.sign(purpose, text).subarray(0, 16);
    return given.length === expected.length && timingSafeEqual(given, expected) ? text : undefined;
  }
}
