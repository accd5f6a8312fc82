import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { randomBytes } from '../../kernel/random';
import { SigningKeys } from '../../platform/config/signing-keys';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals answers that are kept for a repetition. The key comes from the server's secret, the caller and the body, so
 * that a stolen table reads nothing, and one caller's answer can't be opened for another.
 */
@Injectable()
export class AnswerVault {
  constructor(private readonly keys: SigningKeys) {}

  seal(owner: string, fingerprint: Buffer, answer: unknown): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.keyOf(owner, fingerprint), nonce);
    const body = cipher.update(JSON.stringify(answer), 'utf8');
    cipher.final(); // Says nothing more in this mode, and closes the tag.
    return Buffer.concat([nonce, cipher.getAuthTag(), body]);
  }

  open(owner: string, fingerprint: Buffer, sealed: Buffer): unknown {
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.keyOf(owner, fingerprint), nonce);
    decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const body = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    return JSON.parse(body.toString('utf8'));
  }

  private keyOf(owner: string, fingerprint: Buffer): Buffer {
    return createHmac('sha256', this.keys.key('answers'))
      .update(owner)
      .update('\n')
      .update(fingerprint)
      .digest();
  }
}
