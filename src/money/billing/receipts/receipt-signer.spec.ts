import { type JsonWebKey, createHash, createPublicKey, verify } from 'node:crypto';

import fc from 'fast-check';

import { readSettings } from '../../../settings';
import { PublishedKeys } from '#platform/config/published-keys';
import { SigningKeys } from '#platform/config/signing-keys';
import { RECEIPT_KEYS, ReceiptSigner } from './receipt-signer';
import { canonical } from '#kernel/canonical-json';

const keysOf = (secret: string): PublishedKeys =>
  new PublishedKeys(new SigningKeys(readSettings({ SIGNING_SECRET: secret.padEnd(32, '.') })));

const signerWith = (secret: string): ReceiptSigner => new ReceiptSigner(keysOf(secret));

interface Jwk {
  readonly x: string;
  readonly kid: string;
}

/** Verifies as a stranger would, with only the receipt and the published key. */
const proves = (keys: PublishedKeys, receipt: object, jws: string): boolean => {
  const [header = '', payload, signature = ''] = jws.split('.');
  const sorted = Object.fromEntries(Object.entries(receipt).sort(([a], [b]) => (a < b ? -1 : 1)));
  const signed = `${header}.${Buffer.from(JSON.stringify(sorted)).toString('base64url')}`;
  const key = createPublicKey({ key: keys.of(RECEIPT_KEYS)[0].jwk as JsonWebKey, format: 'jwk' });
  return payload === '' && verify(null, Buffer.from(signed), key, Buffer.from(signature, 'base64url'));
};

describe('a receipt', () => {
  const keys = keysOf('one');
  const signer = signerWith('one');
  const receipt = { id: 'ch_1', costMicro: 4_555, at: '2026-01-01T00:00:00Z' };

  it('is written in one way only, its fields sorted and without blanks', () => {
    expect(canonical({ b: 1, a: 'x', B: 2, c: 3 })).toBe('{"B":2,"a":"x","b":1,"c":3}');
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 12 }), (names) => {
        const written = (order: readonly string[]): string =>
          canonical(Object.fromEntries(order.map((name) => [name, name])));
        expect(written(names)).toBe(written([...names].reverse()));
      }),
    );
  });

  it('is proved by its detached signature and the published key', () => {
    const jws = signer.sign(receipt);

    expect(proves(keys, receipt, jws)).toBe(true);
    expect(proves(keys, { ...receipt, costMicro: 4_556 }, jws)).toBe(false);
    expect(proves(keysOf('two'), receipt, jws)).toBe(false);
  });

  it('names the key that signed it', () => {
    const jwk = keys.of(RECEIPT_KEYS)[0].jwk as Jwk;
    const header = Buffer.from(signer.sign(receipt).split('.')[0] ?? '', 'base64url').toString();

    expect(jwk).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      x: expect.any(String) as string,
      kid: createHash('sha256')
        .update(jwk?.x ?? '')
        .digest('base64url')
        .slice(0, 16),
      use: 'sig',
      alg: 'EdDSA',
    });
    expect(JSON.parse(header)).toEqual({ alg: 'EdDSA', kid: jwk?.kid });
  });

  it('is signed with the same key after a restart, and after an upgrade', () => {
    expect(keys.of(RECEIPT_KEYS)[0].jwk).toMatchObject({ x: 'HJO0I7zjv2H8JQue2qmO9pTSrNSGtzstoNuYQN9QALs' });
    expect(signerWith('one').sign(receipt)).toBe(signer.sign(receipt));
  });
});
