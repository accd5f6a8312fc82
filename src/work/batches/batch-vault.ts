import { createHmac } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { openBox, sealBox } from '#platform/config/sealed-box';
import { SigningKeys } from '#platform/config/signing-keys';

/** Encrypts the lines of files and the answers of batches. The key depends on the server's secret and on the owner. */
@Injectable()
export class BatchVault {
  constructor(private readonly keys: SigningKeys) {}

  seal(owner: string, text: string): Buffer {
    return sealBox(this.keysOf(owner)[0], text);
  }

  open(owner: string, sealed: Buffer): string {
    return openBox(this.keysOf(owner), sealed);
  }

  private keysOf(owner: string): readonly [Buffer, ...Buffer[]] {
    const keyOf = (key: Buffer): Buffer => createHmac('sha256', key).update(owner).digest();
    const [key, ...others] = this.keys.keys('batch files');
    return [keyOf(key), ...others.map(keyOf)];
  }
}
