import { Injectable } from '@nestjs/common';

import { openBox, sealBox } from '#platform/config/sealed-box';
import { SigningKeys } from '#platform/config/signing-keys';

/**
 * Encrypts stored answers under a key from the server's secret, the caller and the call's fingerprint. A stolen table
 * is therefore unreadable, and no caller can decrypt another caller's answer.
 */
@Injectable()
export class AnswerVault {
  constructor(private readonly keys: SigningKeys) {}

  seal(owner: string, fingerprint: Buffer, answer: unknown): Buffer {
    return sealBox(this.keysOf(owner, fingerprint)[0], JSON.stringify(answer));
  }

  open(owner: string, fingerprint: Buffer, sealed: Buffer): unknown {
    return JSON.parse(openBox(this.keysOf(owner, fingerprint), sealed));
  }

  private keysOf(owner: string, fingerprint: Buffer): readonly [Buffer, ...Buffer[]] {
    return this.keys.keysOf('answers', owner, '\n', fingerprint);
  }
}
