import { Logger } from '@nestjs/common';

import { ProviderFault } from '#models/providers/http/provider-fault';
import { AccessToken, serviceAccountIn } from '#models/providers/vertex/access-token';
import { FakeVertex } from '../support/fake-vertex';

describe('the token of a service account', () => {
  let fake: FakeVertex;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    fake = await FakeVertex.start();
  });
  afterEach(() => fake.forgiveAll());
  afterAll(() => fake.stop());

  const tokenOf = (): AccessToken =>
    new AccessToken('vertex', () => serviceAccountIn(JSON.parse(FakeVertex.accountAt(fake.origin))));

  it('is asked for once by many calls, and kept', async () => {
    const token = tokenOf();
    const before = fake.tokens;

    const tokens = await Promise.all(Array.from({ length: 20 }, () => token.get()));

    expect(new Set([...tokens, await token.get()])).toEqual(new Set([fake.key]));
    expect(fake.tokens - before).toBe(1);
  });

  it.each([401, 500, 'reset', 'garbage'] as const)(
    'is asked for again after %j, and then nothing was sent to a model',
    async (fault) => {
      const token = tokenOf();
      fake.failNext('token', fault);

      await expect(token.get()).rejects.toBeInstanceOf(ProviderFault);

      expect(await token.get()).toBe(fake.key);
    },
  );

  it('needs the fields of a key file', () => {
    const good = JSON.parse(FakeVertex.accountAt(fake.origin)) as Record<string, unknown>;

    expect(serviceAccountIn(good)).toMatchObject({ tokenUrl: `${fake.origin}/token` });
    for (const field of ['client_email', 'private_key'])
      expect(serviceAccountIn({ ...good, [field]: undefined })).toBeUndefined();
    for (const bad of [null, 'x', { ...good, token_uri: 'no address' }])
      expect(serviceAccountIn(bad)).toBeUndefined();
  });
});
