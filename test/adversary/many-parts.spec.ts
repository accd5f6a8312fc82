import { CompletionsScreening } from '#work/chat/completions/completions-screening';
import { readCompletion } from '#models/conversation/completions-body';
import type { Conversation } from '#models/conversation/conversation';
import { readContent } from '#models/conversation/gemini-body';
import { readMessages } from '#models/conversation/messages-body';
import { passagesOf } from '#models/conversation/passages';
import { readResponses } from '#models/conversation/responses-body';
import { KeyCaller } from '../support/caller';
import { catalogOf, textEntry } from '../support/catalogs';
import { FakeAnthropic } from '../support/fake-anthropic';
import { FakeChatCompletions } from '../support/fake-chat-completions';
import { FakeGemini } from '../support/fake-gemini';
import { World } from '../support/world';

const COMPLETIONS = '/v1/chat/completions';
const MESSAGES = '/v1/messages';
const RESPONSES = '/v1/responses';
const GEMINI = '/v1beta/models/gem:generateContent';
const HI = { role: 'user', content: 'Hi' };
const TURN = { role: 'user', parts: [{ text: 'Hi' }] };

/** The time of the processor: much more than any of the bodies needs, and less than most of them needed before. */
const MS_MAX = 1_500;

const READ: Readonly<Record<string, (body: object) => Conversation>> = {
  [COMPLETIONS]: readCompletion,
  [MESSAGES]: (body) => readMessages(body),
  [RESPONSES]: readResponses,
  [GEMINI]: (body) => readContent(body, 'gem'),
};

const many = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

const RESULTS = 24_000;
const fieldsOf = (count: number): object => Object.fromEntries(many(count, (n) => [`k${n}`, 'v']));

/** Bodies of many small parts, within the limit on values. */
const BODIES: readonly [string, string, object][] = [
  [
    '98,000 thoughts',
    RESPONSES,
    { model: 'other', input: [HI, ...many(98_000, () => ({ type: 'reasoning' }))] },
  ],
  [
    '24,000 calls',
    RESPONSES,
    {
      model: 'other',
      input: [
        HI,
        ...many(24_000, () => ({ type: 'function_call', call_id: 'a', name: 'b', arguments: '{}' })),
      ],
    },
  ],
  [
    'results in the opposite order of their calls',
    GEMINI,
    {
      contents: [
        TURN,
        {
          role: 'model',
          parts: many(RESULTS, (n) => ({ functionCall: { name: `a${n}` }, thoughtSignature: 'c2ln' })),
        },
        {
          role: 'user',
          parts: many(RESULTS, (n) => ({ functionResponse: { name: `a${RESULTS - n - 1}`, response: {} } })),
        },
      ],
    },
  ],
  [
    'a call with 98,000 arguments',
    MESSAGES,
    {
      model: 'claude',
      max_tokens: 9,
      messages: [
        HI,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'b', input: fieldsOf(98_000) }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] },
      ],
    },
  ],
  [
    '98,000 fields of a message',
    COMPLETIONS,
    { model: 'other', messages: [{ ...HI, more: fieldsOf(98_000) }] },
  ],
];

describe('a conversation of many small parts', () => {
  let world: World;
  let fakes: readonly (FakeAnthropic | FakeChatCompletions | FakeGemini)[];
  let caller: KeyCaller;

  beforeAll(async () => {
    const [claude, other, gemini] = await Promise.all([
      FakeAnthropic.start(),
      FakeChatCompletions.start(),
      FakeGemini.start(),
    ]);
    fakes = [claude, other, gemini];
    world = await World.start({
      ...claude.env,
      ...gemini.env,
      OPENAI_BASE_URL: `${other.origin}/v1`,
      OPENAI_API_KEY: other.key,
      ALLOW_SANDBOX_MIX: 'true',
      ...catalogOf(
        [],
        [
          textEntry('claude', ['anthropic:claude-haiku-4-5'], { default: true }),
          textEntry('other', ['openai:gpt-4o']),
          textEntry('gem', ['gemini:gemini-2.5-flash']),
        ],
      ),
    });
    await world.listen();
    caller = await KeyCaller.register(world, 100_000_000n);
  });

  afterAll(async () => {
    await world.expectBooksToBalance();
    await world.stop();
    await Promise.all(fakes.map((fake) => fake.stop()));
  });

  it.each(BODIES)(
    'takes no longer than its size explains: %s',
    async (_name, path, body) => {
      const from = process.cpuUsage();
      for (const { text } of passagesOf(READ[path]!(body))) void text;
      expect(process.cpuUsage(from).user / 1_000).toBeLessThan(MS_MAX);

      expect((await world.post(path, body, { 'x-api-key': caller.key })).status).toBe(200);
    },
    240_000,
  );

  it('lets the process serve others while tens of thousands of turns are screened', async () => {
    const screening = world.app.get(CompletionsScreening, { strict: false });
    const conversation = readCompletion({
      messages: many(5_000, (n) => ({ role: 'user', content: `${n} ${'x '.repeat(500)}` })),
    });
    let others = 0;
    let next: NodeJS.Immediate;
    const count = (): void => {
      others += 1;
      next = setImmediate(count);
    };
    next = setImmediate(count);
    await screening.screen({}, conversation, AbortSignal.timeout(60_000));
    clearImmediate(next);

    expect(others).toBeGreaterThan(10);
  });
});
