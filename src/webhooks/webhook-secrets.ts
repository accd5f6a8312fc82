import { createHmac } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { newId } from '../kernel/ids';
import { randomBytes } from '../kernel/random';
import { openBox, sealBox } from '../platform/config/sealed-box';
import { SigningKeys } from '../platform/config/signing-keys';
import type { NewSecret } from './webhook-endpoint.repository';
import { secretBytes, secretText } from './webhook-signature';

const SECRET_BYTES = 32;

/** Makes the secrets of endpoints, and keeps them shut: each opens for its own endpoint only. */
@Injectable()
export class WebhookSecrets {
  constructor(private readonly keys: SigningKeys) {}

  make(endpointId: string): NewSecret & { readonly text: string } {
    const text = secretText(randomBytes(SECRET_BYTES));
    return { id: newId('whs'), text, sealed: sealBox(this.keyOf(endpointId), text) };
  }

  /** As its owner saw it. */
  textOf(endpointId: string, sealed: Buffer): string {
    return openBox(this.keyOf(endpointId), sealed);
  }

  bytesOf(endpointId: string, sealed: Buffer): Buffer {
    return secretBytes(this.textOf(endpointId, sealed));
  }

  private keyOf(endpointId: string): Buffer {
    return createHmac('sha256', this.keys.key('webhook secrets')).update(endpointId).digest();
  }
}
