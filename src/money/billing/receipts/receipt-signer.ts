import { Injectable } from '@nestjs/common';

import { canonical } from '#kernel/canonical-json';
import { PublishedKeys } from '#platform/config/published-keys';

const base64url = (value: Buffer | string): string => Buffer.from(value).toString('base64url');

/** The kind of proof whose keys sign receipts. */
export const RECEIPT_KEYS = 'receipts';

@Injectable()
export class ReceiptSigner {
  constructor(private readonly keys: PublishedKeys) {}

  /** A detached JWS (RFC 7515, appendix F): the payload is the receipt without `jws`, keys sorted, no spaces. */
  sign(receipt: Readonly<Record<string, unknown>>): string {
    const [receipts] = this.keys.of(RECEIPT_KEYS);
    const header = base64url(JSON.stringify({ alg: 'EdDSA', kid: receipts.kid }));
    const signature = receipts.sign(Buffer.from(`${header}.${base64url(canonical(receipt))}`));
    return `${header}..${base64url(signature)}`;
  }
}
