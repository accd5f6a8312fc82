import { createHmac } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { newId } from '#kernel/ids';
import { randomBytes } from '#kernel/random';
import { openBox, sealBox } from '#platform/config/sealed-box';
import { SigningKeys } from '#platform/config/signing-keys';
import type { NewWebhookSecret } from './webhook-endpoint.repository';
import { secretBytes, secretText } from './webhook-signature';

const SECRET_BYTES = 32;

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
    return openBox(this.keysOf(endpointId), sealed);
  }

  bytesOf(endpointId: string, sealed: Buffer): Buffer {
    return secretBytes(this.textOf(endpointId, sealed));
  }

  /** Encrypts the secret under the present key; undefined if that key encrypts it already. */
  resealed(endpointId: string, sealed: Buffer): Buffer | undefined {
    const [key] = this.keysOf(endpointId);
    return isOpenedBy(key, sealed) ? undefined : this.seal(endpointId, this.textOf(endpointId, sealed));
  }

  private seal(endpointId: string, text: string): Buffer {
    return sealBox(this.keysOf(endpointId)[0], text);
  }

  private keysOf(endpointId: string): readonly [Buffer, ...Buffer[]] {
    const keyOf = (key: Buffer): Buffer => createHmac('sha256', key).update(endpointId).digest();
    const [key, ...others] = this.keys.keys('webhook secrets');
    return [keyOf(key), ...others.map(keyOf)];
  }
}

const isOpenedBy = (key: Buffer, sealed: Buffer): boolean => {
  try {
    openBox([key], sealed);
    return true;
  } catch {
    return false;
  }
};
