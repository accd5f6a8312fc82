import { Injectable } from '@nestjs/common';

import { openBox, sealBox } from '#platform/config/sealed-box';
import { SigningKeys } from '#platform/config/signing-keys';

const PURPOSE = 'batch files';

/** Encrypts the lines of files and the answers of batches. The key depends on the server's secret and on the owner. */
@Injectable()
export class BatchVault {
  constructor(private readonly keys: SigningKeys) {}

  seal(owner: string, text: string): Buffer {
    return sealBox(this.keys.keysOf(PURPOSE, owner)[0], text);
  }

  open(owner: string, sealed: Buffer): string {
    return openBox(this.keys.keysOf(PURPOSE, owner), sealed);
  }
}
