import { KeyCaller } from '../support/caller';
import { catalogOf, textEntry } from '../support/catalogs';
import { VENDOR_WORDS } from '../support/fake-provider';
import { FakeResponses } from '../support/fake-responses';
import { forgetRoutes } from '../support/routes';
import { World } from '../support/world';
import { PIXEL, priceOf } from './compatible-stage';

const FUNDS = 1_000_000;

const ASKED = {
  model: 'gpt-5.5',
  instructions: 'You are an agent.',
  store: false,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: 'session',
  reasoning: { effort: 'xhigh', summary: 'auto' },
  text: { verbosity: 'low' },
  tools: [
    {
      type: 'custom',
      name: 'apply_patch',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: /x/' },
    },
    { type: 'namespace', name: 'files', tools: [{ type: 'function', name: 'find', parameters: {} }] },
    { type: 'web_search' },
    { type: 'tool_search', execution: 'client', parameters: {} },
  ],
  input: [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
    { type: 'reasoning', id: 'rs_0', summary: [], encrypted_content: 'ZW5jcnlwdGVk' },
    {
      type: 'custom_tool_call',
      call_id: 'call_1',
      name: 'apply_patch',
      input: '*** Begin',
      status: 'completed',
    },
    { type: 'custom_tool_call_output', call_id: 'call_1', output: 'done' },
    { type: 'compaction', id: 'cmp_1', encrypted_content: 'Y29tcGFjdA==' },
  ],
};

const ANSWER = {
  thinks: 'So.',
  signature: 'bmV3LXRob3VnaHRz',
  texts: ['I', ' patch.'],
  calls: [
    { name: 'apply_patch', input: { text: '*** Begin Patch' } },
    { name: 'find', input: { path: 'a' } },
  ],
  finish: 'tool_calls',
  counts: { read: 1_000, written: 50, cached: 800 },
} as const;

/** A call of Responses goes to the Responses of OpenAI without a translation. */
describe("OpenAI's own Responses", () => {
  let world: World;
  let fake: FakeResponses;
  let caller: KeyCaller;

  beforeAll(async () => {
    fake = await FakeResponses.start();
    world = await World.start({
      ...fake.env,
      ALLOW_SANDBOX_MIX: 'true',
      ...catalogOf(
        [],
        [
          textEntry('gpt-5.5', ['openai:gpt-5.5'], {
            aliases: ['gpt-latest'],
            vision: true,
            reasoning: true,
            maxOutputTokens: 64_000,
          }),
        ],
      ),
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

  const post = (body: object, path = '/v1/responses') =>
    world.post(path, body, { authorization: `Bearer ${caller.key}` });

  const spent = async (): Promise<number> =>
    FUNDS - (await world.get('/v1/account', { cookie: caller.cookie })).body.balanceMicro;

  const eventsIn = (body: string): readonly Record<string, never>[] =>
    body
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice(6)) as Record<string, never>);

  it('get the body without loss, except the tools that OpenAI bills by itself', async () => {
    fake.sayNext(ANSWER);
    const { status, headers } = await post(ASKED);

    expect([status, headers['x-ignored']]).toEqual([200, 'tools[]']);
    expect(fake.bodies.at(-1)).toEqual({
      ...ASKED,
      tools: ASKED.tools.filter(({ type }) => type !== 'web_search'),
      max_output_tokens: 64_000,
      stream: true,
    });
  });

  it.each([false, true])('answer with the items and the counts of OpenAI, stream %s', async (stream) => {
    fake.sayNext(ANSWER);
    const answer = await post({ ...ASKED, model: 'gpt-latest', stream });
    const events = stream ? eventsIn(answer.body) : [];
    const response = stream ? (events.at(-1) as unknown as { response: object }).response : answer.body;

    expect(response).toMatchObject({
      id: expect.stringMatching(/^ch_/),
      model: 'gpt-latest',
      status: 'completed',
      output: [
        { type: 'reasoning', id: 'rs_1', encrypted_content: ANSWER.signature },
        { type: 'message', content: [{ text: 'I patch.' }] },
        {
          type: 'custom_tool_call',
          name: 'apply_patch',
          input: '*** Begin Patch',
          call_id: 'call_of_openai_0',
        },
        { type: 'function_call', name: 'find', arguments: '{"path":"a"}' },
      ],
      usage: { input_tokens: 1_000, input_tokens_details: { cached_tokens: 800 }, output_tokens: 50 },
    });
    expect(JSON.stringify(answer.body)).not.toMatch(/resp_1|gpt-5\.5-2026/);
    expect(await spent()).toBe(priceOf(1_000, 50));
    if (!stream) return;
    expect(events.map(({ sequence_number: at }) => at)).toEqual(events.map((_, at) => at));
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.output_item.done',
      'response.output_item.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_item.done',
      'response.output_item.added',
      'response.custom_tool_call_input.delta',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.output_item.done',
      'response.completed',
    ]);
  });

  it('get our copies of images, and no addresses', async () => {
    const image = { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}`, detail: 'original' };
    await post({ ...ASKED, input: [{ role: 'user', content: [image] }] });

    const [{ content }] = fake.bodies.at(-1)!['input'] as [{ content: [Record<string, string>] }];
    expect(content[0]).toMatchObject({ type: 'input_image', detail: 'original' });
    expect(content[0]['image_url']).toMatch(/^data:image\//);
  });

  it('end with the reason of a limit', async () => {
    fake.sayNext({ texts: ['Too'], finish: 'length', counts: { read: 9, written: 3 } });
    const { body } = await post(ASKED);
    expect(body).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
  });

  it('charge nothing for a stream that fails, and say nothing of the vendor', async () => {
    fake.sayNext({ ...ANSWER, after: { events: 4, comes: 'trouble' } });
    const { status, body } = await post(ASKED);
    expect(status).toBe(503);
    expect(JSON.stringify(body)).not.toContain(VENDOR_WORDS);
    expect(await spent()).toBe(0);
  });

  it('answer 400 for a conversation that is too long, whatever the status of the stream', async () => {
    const failed = {
      type: 'response.failed',
      response: { error: { code: 'context_length_exceeded', message: VENDOR_WORDS } },
    };
    fake.failNext('chat', {
      says: { bytes: Buffer.from(`data: ${JSON.stringify(failed)}\n\n`), type: 'text/event-stream' },
    });
    const { status, body } = await post(ASKED);
    expect([status, body.error.code]).toEqual([400, 'context_length_exceeded']);
  });

  it('count the tokens of a call', async () => {
    const { body, headers } = await post(ASKED, '/v1/responses/input_tokens');
    expect([body.input_tokens, headers['x-token-count']]).toEqual([77, 'exact']);
  });

  it('let a compaction through, which has no text', async () => {
    const item = { type: 'compaction', id: 'cmp_2', encrypted_content: 'c2hvcnQ=' };
    const events = [
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { usage: { input_tokens: 100, output_tokens: 7 } } },
    ];
    const bytes = Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    fake.failNext('chat', { says: { bytes, type: 'text/event-stream' } });
    const { status, body } = await post({
      ...ASKED,
      input: [...ASKED.input, { type: 'compaction_trigger' }],
    });
    expect([status, body.output]).toEqual([200, [item]]);
    expect(await spent()).toBe(priceOf(100, 7));
  });
});
