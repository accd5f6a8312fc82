import { Injectable } from '@nestjs/common';

import { PublishedKeys } from '../../platform/config/published-keys';

const base64url = (value: Buffer | string): string => Buffer.from(value).toString('base64url');

/** RFC 8785 for what receipts hold (strings, whole numbers, no nesting): the same object always gives the same bytes. */
export const canonical = (value: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))));

/** Signs receipts. */
@Injectable()
export class ReceiptSigner {
  constructor(private readonly keys: PublishedKeys) {}

  /** A detached JWS (RFC 7515, appendix F): the payload is the receipt without `jws`, keys sorted, no spaces. */
  sign(receipt: Readonly<Record<string, unknown>>): string {
    const { receipts } = this.keys;
    const header = base64url(JSON.stringify({ alg: 'EdDSA', kid: receipts.kid }));
    const signature = receipts.sign(Buffer.from(`${header}.${base64url(canonical(receipt))}`));
    return `${header}..${base64url(signature)}`;
  }
}
