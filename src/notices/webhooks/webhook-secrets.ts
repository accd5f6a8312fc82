import { Injectable } from '@nestjs/common';

import { newId } from '#kernel/ids';
import { randomBytes } from '#kernel/random';
import { openBox, resealed, sealBox } from '#platform/config/sealed-box';
import { SigningKeys } from '#platform/config/signing-keys';
import type { NewWebhookSecret } from './webhook-endpoint.repository';
import { secretBytes, secretText } from './webhook-signature';

const SECRET_BYTES = 32;
const PURPOSE = 'webhook secrets';

/** Makes and encrypts the secrets of endpoints. Each can be decrypted only for its own endpoint. */
@Injectable()
export class WebhookSecrets {
  constructor(private readonly keys: SigningKeys) {}

  make(endpointId: string): NewWebhookSecret & { readonly text: string } {
    const text = secretText(randomBytes(SECRET_BYTES));
    return { id: newId('whs'), text, sealed: this.seal(endpointId, text) };
  }

  /** The secret as its owner saw it. */
  textOf(endpointId: string, sealed: Buffer): string {
    return openBox(this.keys.keysOf(PURPOSE, endpointId), sealed);
  }

  bytesOf(endpointId: string, sealed: Buffer): Buffer {
    return secretBytes(this.textOf(endpointId, sealed));
  }

  /** Encrypts the secret under the present key; undefined if that key encrypts it already. */
  resealed(endpointId: string, sealed: Buffer): Buffer | undefined {
    return resealed(this.keys.keysOf(PURPOSE, endpointId), sealed);
  }

  private seal(endpointId: string, text: string): Buffer {
    return sealBox(this.keys.keysOf(PURPOSE, endpointId)[0], text);
  }
}
