import { createHmac } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { openBox, sealBox } from '../../platform/config/sealed-box';
import { SigningKeys } from '../../platform/config/signing-keys';

/**
 * Seals answers that are kept for a repetition. The key comes from the server's secret, the caller and the body, so
 * that a stolen table reads nothing, and one caller's answer can't be opened for another.
 */
@Injectable()
export class AnswerVault {
  constructor(private readonly keys: SigningKeys) {}

  seal(owner: string, fingerprint: Buffer, answer: unknown): Buffer {
    return sealBox(this.keyOf(owner, fingerprint), JSON.stringify(answer));
  }

  open(owner: string, fingerprint: Buffer, sealed: Buffer): unknown {
    return JSON.parse(openBox(this.keyOf(owner, fingerprint), sealed));
  }

  private keyOf(owner: string, fingerprint: Buffer): Buffer {
    return createHmac('sha256', this.keys.key('answers'))
      .update(owner)
      .update('\n')
      .update(fingerprint)
      .digest();
  }
}
