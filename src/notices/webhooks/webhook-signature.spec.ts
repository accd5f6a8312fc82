import { createPublicKey, verify } from 'node:crypto';

import { Webhook } from 'standardwebhooks';

import { PublishedKey } from '#platform/config/published-keys';
import { publicKeyText, secretBytes, secretText, signedHeaders } from './webhook-signature';

const KEY = new PublishedKey(Buffer.alloc(32, 1));
const SECRETS = [Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
const message = {
  id: 'evt_1',
  timestamp: Math.floor(Date.now() / 1_000),
  body: '{"id":"evt_1","text":"Grüße 🦊"}',
};

describe('a signed message', () => {
  const headers = signedHeaders(message, SECRETS, [KEY]);

  it('is verified by the official library with each secret, and with no other', () => {
    for (const secret of SECRETS) {
      expect(new Webhook(secretText(secret)).verify(message.body, headers)).toEqual(JSON.parse(message.body));
      expect(() => new Webhook(secretText(secret)).verify(`${message.body} `, headers)).toThrow(
        'No matching signature',
      );
    }
    expect(() => new Webhook(secretText(Buffer.alloc(32, 4))).verify(message.body, headers)).toThrow(
      'No matching signature',
    );
  });

  it('is verified by everybody with the published key', () => {
    const signature = /v1a,(\S+)$/.exec(headers['webhook-signature'] ?? '')?.[1] ?? '';
    const x = Buffer.from(publicKeyText(KEY).slice('whpk_'.length), 'base64').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    const proves = (text: string): boolean =>
      verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'));

    expect(proves(`evt_1.${message.timestamp}.${message.body}`)).toBe(true);
    expect(proves(`evt_2.${message.timestamp}.${message.body}`)).toBe(false);
    expect(proves(`evt_1.${message.timestamp + 1}.${message.body}`)).toBe(false);
  });

  it('is signed by the service alone where there is no secret', () => {
    expect(signedHeaders(message, [], [KEY])['webhook-signature']).toMatch(/^v1a,\S+$/);
  });

  it('has secrets that come back from their text', () => {
    expect(secretBytes(secretText(SECRETS[0]!))).toEqual(SECRETS[0]);
  });
});
