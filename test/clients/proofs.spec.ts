import { createHmac, randomBytes } from 'node:crypto';

import fc from 'fast-check';

import { isGenuine, isGenuineWebhook } from '../../clients/typescript/src/proof';

const SECRET = randomBytes(24);
const proof = { secret: `whsec_${SECRET.toString('base64')}` };
const body = JSON.stringify({ id: 'evt_1', type: 'job.done' });
const now = (): string => String(Math.floor(Date.now() / 1_000));
const message = (signature: string, time = now()) => ({
  headers: { 'webhook-id': 'evt_1', 'webhook-timestamp': time, 'webhook-signature': signature },
  body,
});
const signatureAt = (time: string): string =>
  `v1,${createHmac('sha256', SECRET).update(`evt_1.${time}.${body}`).digest('base64')}`;

describe('the verifiers of the package', () => {
  it('take a signature of the secret, also beside one that is malformed', async () => {
    const time = now();

    expect(await isGenuineWebhook(message(signatureAt(time), time), proof)).toBe(true);
    expect(await isGenuineWebhook(message(`v1,%%% ${signatureAt(time)}`, time), proof)).toBe(true);
  });

  it('look at a few signatures only, however many a forger sends', async () => {
    const verify = jest.spyOn(crypto.subtle, 'verify');
    const signatures = Array(5_000).fill('v1,AAAA').join(' ');

    expect(await isGenuineWebhook(message(signatures), proof)).toBe(false);
    expect(verify.mock.calls.length).toBeLessThanOrEqual(10);
    verify.mockRestore();
  });

  it('say so where the secret itself is malformed', async () => {
    await expect(isGenuineWebhook(message('v1,AAAA'), { secret: 'whsec_%%%' })).rejects.toThrow(
      'is malformed',
    );
  });

  it.each(['v1,%%%', 'v1,', 'v1', ',', 'v1,AAAA', 'v1a,é', 'v1,=', ' '])(
    'call the signature %j not genuine, without an error',
    async (signature) => {
      expect(await isGenuineWebhook(message(signature), proof)).toBe(false);
    },
  );

  it.each<[string, object]>([
    ['a secret that nobody has set', { secret: undefined }],
    ['an empty secret', { secret: '' }],
    ['no proof at all', {}],
    ['the key of the service, which signs for everybody, without a recipient', { publicKey: 'whpk_AAAA' }],
    ['a recipient that nobody has set', { publicKey: 'whpk_AAAA', recipient: { owner: undefined } }],
  ])('take no message for genuine by %s, and say so', async (_, none) => {
    const check = isGenuineWebhook(message('v1,AAAA'), none as typeof proof);

    await expect(check).rejects.toThrow(TypeError);
  });

  it('never throw and never hold, whatever the headers of a message say', async () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.base64String().map((part) => `v1,${part}`),
    );
    await fc.assert(
      fc.asyncProperty(text, text, text, async (id, time, signature) => {
        const headers = { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature };
        const late = { headers, body };
        const inTime = { headers: { ...headers, 'webhook-timestamp': now() }, body };
        return !(await isGenuineWebhook(late, proof)) && !(await isGenuineWebhook(inTime, proof));
      }),
      { numRuns: 300 },
    );
  });

  it('never throw and never hold, whatever the proof of a receipt says', async () => {
    const keys = [{ kid: 'a', kty: 'OKP', crv: 'Ed25519', x: randomBytes(32).toString('base64url') }];
    const head = fc.constantFrom('a', 'b', 7, null).map((kid) => btoa(JSON.stringify({ kid })));
    const jws = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.tuple(head, fc.string(), fc.string()).map((parts) => parts.join('.')),
    );
    await fc.assert(
      fc.asyncProperty(jws, async (said) => !(await isGenuine({ jws: said }, keys))),
      { numRuns: 300 },
    );
  });
});
