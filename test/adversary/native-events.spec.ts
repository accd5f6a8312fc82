import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { KeyCaller } from '../support/caller';
import { catalogOf, textEntry } from '../support/catalogs';
import { FakeResponses } from '../support/fake-responses';
import { forgetRoutes } from '../support/routes';
import { World } from '../support/world';

const FUNDS = 1_000_000;
const FORBIDDEN = 'forbiddenword';
const LONG = 'a quiet street '.repeat(2_000);

const message = (text: string) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
});

/** Events that say a text which no delta contains. */
const SAYINGS: Readonly<Record<string, (text: string) => object>> = {
  'an item': (text) => ({ type: 'response.output_item.done', item: message(text) }),
  'the end of a text': (text) => ({ type: 'response.output_text.done', item_id: 'msg_1', text }),
  'the end of a part': (text) => ({ type: 'response.content_part.done', part: message(text).content[0] }),
  'a summary': (text) => ({
    type: 'response.output_item.done',
    item: { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text }] },
  }),
  'the name of a tool': (name) => ({
    type: 'response.output_item.done',
    item: { type: 'function_call', id: 'fc_1', call_id: 'call_1', name, arguments: '{}' },
  }),
  'a search for tools': (text) => ({
    type: 'response.output_item.done',
    item: { type: 'tool_search_call', id: 'ts_1', call_id: 'call_1', arguments: { [text]: 1 } },
  }),
  'an annotation': (text) => ({
    type: 'response.output_text.annotation.added',
    item_id: 'msg_1',
    annotation: { type: 'url_citation', title: text },
  }),
  'an unknown event': (text) => ({ type: 'response.strange.delta', delta: text }),
};

describe("events of OpenAI's own Responses", () => {
  let world: World;
  let fake: FakeResponses;
  let caller: KeyCaller;

  beforeAll(async () => {
    fake = await FakeResponses.start();
    const policy = join(mkdtempSync(join(tmpdir(), 'lamppost-policy-')), 'policy.json');
    writeFileSync(policy, JSON.stringify({ patterns: { violence: [FORBIDDEN] } }));
    world = await World.start({
      ...fake.env,
      POLICY_FILE: policy,
      POLICY_RESULTS: 'true',
      ALLOW_SANDBOX_MIX: 'true',
      ...catalogOf([], [textEntry('gpt-5.5', ['openai:gpt-5.5'], { maxOutputTokens: 64_000 })]),
    });
  });
  beforeEach(async () => {
    caller = await KeyCaller.register(world, BigInt(FUNDS));
  });
  afterEach(async () => {
    fake.forgiveAll();
    forgetRoutes(world);
    await world.expectBooksToBalance();
  });
  afterAll(async () => {
    await world.stop();
    await fake.stop();
  });

  const ask = (said: readonly object[], stream: boolean, usage?: object) => {
    const events = [
      ...said.map((event) => ({ output_index: 0, ...event })),
      { type: 'response.completed', response: { status: 'completed', usage } },
    ];
    const bytes = Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    fake.failNext('chat', { says: { bytes, type: 'text/event-stream' } });
    const body = { model: 'gpt-5.5', input: 'Hi', stream };
    return world.post('/v1/responses', body, { authorization: `Bearer ${caller.key}` });
  };
  const spent = async (): Promise<number> =>
    FUNDS - (await world.get('/v1/account', { cookie: caller.cookie })).body.balanceMicro;

  describe.each(Object.entries(SAYINGS))('with a text only in %s', (_, saying) => {
    it.each([false, true])('are screened, stream %s', async (stream) => {
      const { body } = await ask([saying(FORBIDDEN)], stream, { input_tokens: 5, output_tokens: 5 });
      expect(JSON.stringify(body)).not.toContain(FORBIDDEN);
    });

    it('are charged, if the vendor counts nothing', async () => {
      await ask([saying(LONG)], true);
      expect(await spent()).toBeGreaterThan(3_000);
    });
  });

  it('count a text once that deltas and later events contain', async () => {
    const part = message(LONG).content[0];
    await ask(
      [
        { type: 'response.output_item.added', item: { ...message(''), content: [] } },
        { type: 'response.output_text.delta', item_id: 'msg_1', content_index: 0, delta: LONG },
        { type: 'response.output_text.done', item_id: 'msg_1', content_index: 0, text: LONG },
        { type: 'response.content_part.done', item_id: 'msg_1', content_index: 0, part },
        { type: 'response.output_item.done', item: message(LONG) },
      ],
      true,
    );
    expect(await spent()).toBeLessThan(3_600);
  });

  it("never contain the vendor's own response", async () => {
    const response = { id: 'resp_1', model: 'gpt-5.5-2026-10-01', safety_identifier: 'operator' };
    const { body } = await ask(
      [{ type: 'response.strange', response }, SAYINGS['an item']!('Hello.')],
      true,
      { input_tokens: 5, output_tokens: 5 },
    );
    expect(body).toContain('Hello.');
    expect(body).not.toMatch(/resp_1|2026-10|safety_identifier/);
  });

  it.each([false, true])('give the paid text of an item that is cut off, stream %s', async (stream) => {
    fake.sayNext({
      thinks: 'So.',
      texts: Array.from({ length: 80 }, () => 'a'.repeat(3_500)),
      counts: { read: 5, written: 80_000 },
    });
    const body = { model: 'gpt-5.5', input: 'Hi', maxPriceMicro: 3_600, stream };
    const answer = await world.post('/v1/responses', body, { authorization: `Bearer ${caller.key}` });

    const events: string[] = stream ? answer.body.split('data: ') : [];

    expect(await spent()).toBeGreaterThan(3_000);
    expect(stream ? JSON.parse(events.at(-1)!).response : answer.body).toMatchObject({
      status: 'incomplete',
      output: [
        { type: 'reasoning' },
        { type: 'message', content: [{ text: expect.stringMatching(/^a{28000}/) }] },
      ],
    });
  });
});
