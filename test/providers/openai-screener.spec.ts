import { Logger } from '@nestjs/common';

import { ContentPolicy } from '#models/providers/policy/content-policy';
import { OpenaiScreener } from '#models/providers/openai/openai-screener';
import { RulesScreener } from '#models/providers/policy/rules-screener';
import { PolicyUnavailable } from '#models/providers/policy/policy.errors';
import { WalletCaller } from '../support/caller';
import { FakeOpenai } from '../support/fake-openai';
import type { ProviderFaultName } from '../support/fake-provider';
import { World } from '../support/world';

describe('screening by the moderation API', () => {
  let fake: FakeOpenai;
  let policy: ContentPolicy;

  beforeAll(async () => {
    Logger.overrideLogger(false); // This test causes faults, whose log lines would only disturb.
    fake = await FakeOpenai.start();
    const screener = new OpenaiScreener(
      { baseUrl: `${fake.origin}/v1`, key: fake.key },
      new RulesScreener({ patterns: {}, blockedHashes: ['ab12'] }),
    );
    policy = new ContentPolicy(screener, { thresholds: new Map(), adultCategories: new Set() });
  });

  afterEach(() => {
    fake.flagged = undefined;
    fake.forgiveAll();
  });

  afterAll(async () => {
    await policy.onApplicationShutdown();
    await fake.stop();
  });

  it('lets harmless texts and images pass', async () => {
    expect(await policy.screenText('a lamp')).toEqual({ allowed: true });
    expect(await policy.screenImage(fake.files.png, 'image/png')).toEqual({ allowed: true });
    expect(fake.seen.at(-1)?.body.toString()).toContain('data:image/png;base64,');
  });

  it('asks only the list of known media about videos, which the API does not take', async () => {
    const asked = fake.seen.length;

    expect(await policy.screenVideo('ab12')).toEqual({ allowed: false, category: 'known media' });
    expect(await policy.screenVideo('cd34')).toEqual({ allowed: true });
    expect(fake.seen).toHaveLength(asked);
  });

  it('names the category of what it stops', async () => {
    fake.flagged = 'sexual/minors';

    expect(await policy.screenText('x')).toEqual({ allowed: false, category: 'sexual minors' });
  });

  it.each<[ProviderFaultName]>([[400], [401], [429], [500], ['garbage'], ['reset'], ['drop reply']])(
    'lets nothing through while it does not answer: %s',
    async (fault) => {
      fake.failNext('moderation', fault);

      await expect(policy.screenText('a lamp')).rejects.toBeInstanceOf(PolicyUnavailable);
    },
  );

  it('stops a call before any money is held', async () => {
    const world = await World.start({ ...fake.env, POLICY: 'openai', ALLOW_SANDBOX_MIX: 'true' });
    const caller = await new WalletCaller().fund(world, 1_000_000n);
    const send = async () =>
      world.post(
        '/v1/agent/images/generations',
        { prompt: 'a lamp' },
        { 'sign-in-with-x': await caller.signIn(world) },
      );

    fake.flagged = 'violence';
    const blocked = await send();
    fake.flagged = undefined;
    fake.failNext('moderation', 500);
    const down = await send();

    expect([blocked.status, blocked.body.error.code]).toEqual([400, 'POLICY_BLOCKED']);
    expect([down.status, down.body.error.code]).toEqual([503, 'PROVIDER_UNAVAILABLE']);
    expect(await world.db.rows('select 1 from charge')).toHaveLength(0);
    expect(fake.images).toHaveLength(0);
    await world.stop();
  });
});
