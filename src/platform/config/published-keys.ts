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

/** The keys that everybody can verify with, one or two for each kind of proof. */
@Injectable()
export class PublishedKeys {
  private readonly known = new Map<string, readonly [PublishedKey, ...PublishedKey[]]>();

  constructor(private readonly keys: SigningKeys) {}

  /**
   * The keys of one kind of proof, the first of which signs. During a change of the secret there are two. A kind whose
   * proofs are kept elsewhere signs with both, so a receiver with either key can verify them.
   */
  of(purpose: string): readonly [PublishedKey, ...PublishedKey[]] {
    const known = this.known.get(purpose);
    if (known !== undefined) return known;
    const [first, ...others] = this.keys.keys(purpose);
    const keys = [new PublishedKey(first), ...others.map((seed) => new PublishedKey(seed))] as const;
    this.known.set(purpose, keys);
    return keys;
  }
}
