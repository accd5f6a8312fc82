import { type KeyObject, createHash, createPublicKey, sign } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { ed25519Key } from '../signatures/ed25519';
import { SigningKeys } from './signing-keys';

/** A key of ours. Everybody can verify its signatures. */
export class PublishedKey {
  private readonly key: KeyObject;
  /** The raw bytes of the public half. */
  readonly publicBytes: Buffer;
  readonly kid: string;
  readonly jwk: object;

  constructor(seed: Buffer) {
    this.key = ed25519Key(seed);
    const jwk = createPublicKey(this.key).export({ format: 'jwk' });
    this.publicBytes = Buffer.from(String(jwk.x), 'base64url');
    this.kid = createHash('sha256').update(String(jwk.x)).digest('base64url').slice(0, 16);
    this.jwk = { ...jwk, kid: this.kid, use: 'sig', alg: 'EdDSA' };
  }

  sign(bytes: Buffer): Buffer {
    return sign(null, bytes, this.key);
  }
}

/** The keys at `/.well-known/jwks.json`, one for each kind of proof. */
@Injectable()
export class PublishedKeys {
  readonly receipts: PublishedKey;
  readonly webhooks: PublishedKey;
  /**
   * During a change of the secret, the keys of both secrets sign each checkpoint. A stored verifier key of either
   * secret then proves it.
   */
  readonly allOfTransparency: readonly PublishedKey[];
  /** During a change of the secret, both keys sign each message, so a receiver with either key can verify it. */
  readonly allOfWebhooks: readonly PublishedKey[];
  /** The key of receipts was once the only one, so it stays first for older readers. */
  readonly jwks: { readonly keys: readonly object[] };

  constructor(keys: SigningKeys) {
    const [receipts, ...otherReceipts] = keys.keys('receipts');
    const [webhooks, ...otherWebhooks] = keys.keys('webhooks');
    this.receipts = new PublishedKey(receipts);
    this.webhooks = new PublishedKey(webhooks);
    const others = [otherReceipts, otherWebhooks].map((seeds) => seeds.map((seed) => new PublishedKey(seed)));
    this.allOfTransparency = keys.keys('transparency').map((seed) => new PublishedKey(seed));
    this.allOfWebhooks = [this.webhooks, ...others[1]!];
    this.jwks = {
      keys: [this.receipts, this.webhooks, ...others.flat(), ...this.allOfTransparency].map(({ jwk }) => jwk),
    };
  }
}
