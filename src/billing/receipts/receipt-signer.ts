import { type KeyObject, createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { SigningKeys } from '../../platform/config/signing-keys';

/** What stands before the 32 bytes of a private Ed25519 key in PKCS #8. */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

const base64url = (value: Buffer | string): string => Buffer.from(value).toString('base64url');

/** RFC 8785 for what receipts hold (strings, whole numbers, no nesting): the same object always gives the same bytes. */
export const canonical = (value: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))));

/** Signs receipts, and publishes the key that proves them. */
@Injectable()
export class ReceiptSigner {
  private readonly key: KeyObject;
  private readonly kid: string;
  readonly jwks: { readonly keys: readonly object[] };

  constructor(keys: SigningKeys) {
    this.key = createPrivateKey({
      key: Buffer.concat([PKCS8_ED25519, keys.key('receipts')]),
      format: 'der',
      type: 'pkcs8',
    });
    const jwk = createPublicKey(this.key).export({ format: 'jwk' });
    this.kid = createHash('sha256').update(String(jwk.x)).digest('base64url').slice(0, 16);
    this.jwks = { keys: [{ ...jwk, kid: this.kid, use: 'sig', alg: 'EdDSA' }] };
  }

  /** A detached JWS (RFC 7515, appendix F): the payload is the receipt without `jws`, keys sorted, no spaces. */
  sign(receipt: Readonly<Record<string, unknown>>): string {
    const header = base64url(JSON.stringify({ alg: 'EdDSA', kid: this.kid }));
    const signature = sign(null, Buffer.from(`${header}.${base64url(canonical(receipt))}`), this.key);
    return `${header}..${base64url(signature)}`;
  }
}
