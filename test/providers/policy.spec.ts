import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Logger } from '@nestjs/common';

import { SandboxTextProvider } from '#models/providers/sandbox/sandbox-text.provider';
import { KeyCaller, WalletCaller } from '../support/caller';
import { catalogOf, pictureEntry, textEntry } from '../support/catalogs';
import { requestOf } from '../support/conversations';
import { FakeOpenai } from '../support/fake-openai';
import { expectEventually } from '../support/eventually';
import { type Answer, World } from '../support/world';

/** Words of the sandbox that the policy of this test forbids. */
const FORBIDDEN = 'copper river';

/** The sandbox's answer to this message. */
const written = async (content: string): Promise<string> => {
  const body = { messages: [{ role: 'user', content }] };
  const asked = requestOf(body, { maxTokens: 400 });
  let text = '';
  for await (const pieces of new SandboxTextProvider().converse(asked, new AbortController().signal)) {
    for (const piece of pieces)
      text += 'delta' in piece ? ((piece.delta['content'] as string | undefined) ?? '') : '';
  }
  return text;
};

/** A message whose answer has the forbidden words at a place that `isAt` accepts. */
const messageWith = async (isAt: (at: number) => boolean): Promise<string> => {
  for (let n = 0; n < 5_000; n += 1) {
    const message = `[[tokens 300]] ${n}`;
    if (isAt((await written(message)).indexOf(FORBIDDEN))) return message;
  }
  throw new Error('The sandbox writes no such text.');
};

describe('scores of a moderation API', () => {
  let world: World;
  let fake: FakeOpenai;
  let other: KeyCaller;

  beforeAll(async () => {
    fake = await FakeOpenai.start();
    world = await World.start({
      ...fake.env,
      ...catalogOf([pictureEntry('brush', ['openai:gpt-image-1'])], []),
      POLICY: 'openai',
      POLICY_THRESHOLDS: 'violence=0.5,harassment=off',
      POLICY_RESULTS: 'true',
      ALLOW_SANDBOX_MIX: 'true',
    });
    other = await KeyCaller.register(world, 1_000_000n);
  });

  afterEach(async () => {
    fake.scoresOf = undefined;
    fake.flagged = undefined;
    await world.expectBooksToBalance();
  });

  afterAll(async () => {
    await world.stop();
    await fake.stop();
  });

  const image = (
    headers: Readonly<Record<string, string>>,
    { prompt = 'a lamp', model = 'brush' } = {},
  ): Promise<Answer> => world.post('/v1/agent/images/generations', { prompt, model }, headers);

  it('blocks from the scores on that the operator sets, and names the category', async () => {
    fake.scoresOf = () => ({ violence: 0.5 });
    const above = await image({ 'x-api-key': other.key });
    fake.scoresOf = () => ({ violence: 0.49 });
    const below = await image({ 'x-api-key': other.key });
    fake.scoresOf = undefined;
    fake.flagged = 'harassment';
    const off = await image({ 'x-api-key': other.key });

    expect([above.status, above.body.error.code]).toEqual([400, 'POLICY_BLOCKED']);
    expect(above.body.error.message).toContain('violence');
    expect([below.status, off.status]).toEqual([200, 200]);
  });

  it('does not deliver a picture that it does not allow, and charges nothing for it', async () => {
    fake.scoresOf = ({ type }) => ({ violence: type === 'image_url' ? 0.9 : 0 });
    const { balance: before } = await funds();

    const answer = await image({ 'x-api-key': other.key });

    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body.error.message).toContain('violence');
    await expectEventually(async () => (await funds()).balance === before);
    const [job] = await world.db.rows('select * from job order by created_at desc limit 1');
    expect([job?.['status'], job?.['error_code'], job?.['blocked_category'], job?.['media_id']]).toEqual([
      'failed',
      'POLICY_BLOCKED',
      'violence',
      null,
    ]);
  });

  const funds = async (): Promise<{ readonly balance: number }> => {
    const { body } = await world.get('/v1/agent/balance', { 'x-api-key': other.key });
    return { balance: body.balanceMicro };
  };
});

describe('the policy of an operator', () => {
  let world: World;
  let url: string;
  let other: KeyCaller;
  const allowed = new WalletCaller();

  beforeAll(async () => {
    Logger.overrideLogger(false); // This test breaks streams, whose log lines would only disturb.
    const policy = join(mkdtempSync(join(tmpdir(), 'lamppost-policy-')), 'policy.json');
    writeFileSync(policy, JSON.stringify({ patterns: { violence: [FORBIDDEN, 'blood'], sexual: ['bare'] } }));
    const brush = ['sandbox:image'] as const;
    world = await World.start({
      ...catalogOf(
        [pictureEntry('brush', brush), pictureEntry('adult-brush', brush, { adultsOnly: true })],
        [textEntry('pen', ['sandbox:words'])],
      ),
      POLICY_FILE: policy,
      POLICY_RESULTS: 'true',
      ADULTS_ALLOWED: allowed.wallet,
    });
    url = await world.listen();
    await allowed.fund(world, 1_000_000n);
    other = await KeyCaller.register(world, 1_000_000n);
  });

  afterEach(() => world.expectBooksToBalance());

  afterAll(() => world.stop());

  const image = (
    headers: Readonly<Record<string, string>>,
    { prompt = 'a lamp', model = 'brush' } = {},
  ): Promise<Answer> => world.post('/v1/agent/images/generations', { prompt, model }, headers);

  /** Uses a real connection, because a long stream waits until its reader has read. */
  const chat = async (content: string, more: object = {}): Promise<Answer> => {
    const body = { model: 'pen', messages: [{ role: 'user', content }], max_tokens: 400, ...more };
    const headers = { 'content-type': 'application/json', 'x-api-key': other.key };
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: isJson ? await answer.json() : await answer.text(),
    };
  };

  it('sells models for adults only to callers on the list, whatever pays', async () => {
    const signed = async () => ({ 'sign-in-with-x': await allowed.signIn(world) });
    const refused = await image({ 'x-api-key': other.key }, { prompt: 'bare skin', model: 'adult-brush' });
    const served = await image(await signed(), { prompt: 'bare skin', model: 'adult-brush' });
    const elsewhere = await image(await signed(), { prompt: 'bare skin' });
    const never = await image(await signed(), { prompt: 'bare skin and blood', model: 'adult-brush' });

    expect([refused.status, refused.body.error.code]).toEqual([403, 'ADULTS_ONLY']);
    expect(served.status).toBe(200);
    expect(elsewhere.body.error.code).toBe('POLICY_BLOCKED');
    expect(never.body.error.code).toBe('POLICY_BLOCKED');
    const { models } = (await world.get('/v1/agent/models')).body;
    expect(models.find(({ id }: { id: string }) => id === 'adult-brush').adultsOnly).toBe(true);
    expect(models.find(({ id }: { id: string }) => id === 'brush').adultsOnly).toBeUndefined();
  });

  it('does not deliver a text that it does not allow', async () => {
    const content = await messageWith((at) => at > 0);

    const answer = await chat(content);

    expect([answer.status, answer.body.error.code]).toEqual([400, 'POLICY_BLOCKED']);
    expect(answer.body.error.message).toContain('violence');
    expect(answer.headers['x-charge-state']).toBe('released');
  });

  it('ends a stream before the text that it does not allow, and charges what was delivered', async () => {
    const content = await messageWith((at) => at > 1_200);

    const answer = await chat(content, { stream: true });

    expect(textIn(answer.body)).not.toContain(FORBIDDEN);
    expect(textIn(answer.body).length).toBeGreaterThan(300);
    expect(answer.body).toContain('"finish_reason":"content_filter"');
    const [charge] = await world.db.rows('select * from charge order by created_at desc limit 1');
    expect(charge?.['state']).toBe('charged');
  });

  it('sends nothing of a stream that begins with text that it does not allow', async () => {
    const content = await messageWith((at) => at > 0 && at < 200);

    const answer = await chat(content, { stream: true });

    expect([answer.status, answer.body.error.code]).toEqual([400, 'POLICY_BLOCKED']);
    const [charge] = await world.db.rows('select * from charge order by created_at desc limit 1');
    expect(charge?.['state']).toBe('released');
  });

  it('sends an allowed stream whole', async () => {
    const content = await messageWith((at) => at < 0);

    const answer = await chat(content, { stream: true });

    expect(textIn(answer.body)).toBe(await written(content));
  });
});

/** The words of a stream. */
const textIn = (events: string): string =>
  events
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)).choices?.[0]?.delta?.content ?? '')
    .join('');
