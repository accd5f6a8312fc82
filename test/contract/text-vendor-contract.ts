import { Logger } from '@nestjs/common';

import { textOf } from '#models/providers/http/json-fields';
import { MergedMessage } from '#work/chat/completions/merge-pieces';
import {
  AnswerLost,
  NotServed,
  ProviderFailed,
  ProviderUnavailable,
} from '#models/providers/providers.errors';
import type { ConversationPiece, TextProvider, TextUsage } from '#models/providers/text-provider';
import { vendorOf } from '#models/providers/vendors';
import { readSettings } from '../../src/settings';
import { refusedOrigin } from '../support/closed-port';
import { requestOf } from '../support/conversations';
import { expectEventually } from '../support/eventually';
import { type ProviderFaultName, VENDOR_WORDS } from '../support/fake-provider';
import { type FakeTextServer, type Received, type Said, USUAL } from '../support/fake-text-server';
import { sameCalls } from './same-calls';
import { textVendorOf } from './text-vendors';

const soon = (ms = 1_000): AbortSignal => AbortSignal.timeout(ms);
const HI = [{ role: 'user', content: 'hi' }] as const;

const textsIn = (pieces: readonly ConversationPiece[]): string =>
  pieces.map((piece) => ('delta' in piece ? (textOf(piece.delta['content']) ?? '') : '')).join('');

/** The complete message of a stream, with its reason to finish and its counts. */
const whole = (pieces: readonly ConversationPiece[]) => {
  const merged = new MergedMessage();
  for (const piece of pieces) if ('delta' in piece) merged.add(piece.delta);
  const { content, tool_calls: calls = [] } = merged.message as unknown as {
    content: string;
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  };
  return {
    text: content,
    calls: calls.map((call) => [call.function.name, JSON.parse(call.function.arguments)]),
    ids: new Set(calls.map(({ id }) => id)).size,
    finish: pieces.flatMap((piece) => ('delta' in piece ? (piece.finishReason ?? []) : [])),
    // A vendor may count several times; the last count is that of the whole answer.
    counted: pieces
      .flatMap((piece) =>
        'usage' in piece ? [[piece.usage.promptTokens, piece.usage.completionTokens]] : [],
      )
      .at(-1),
  };
};

const SAME_CALLS = 200;

const WEATHER = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

/** A body with every field that `/v1/chat/completions` passes on. */
const ALL_OF_IT = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Where is this?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
      ],
    },
    {
      role: 'assistant',
      content: 'Let me look.',
      tool_calls: [
        {
          id: 'call_of another:vendor.1',
          type: 'function',
          function: { name: 'weather', arguments: '{"city":"Oslo"}' },
        },
        { id: 'call_2', type: 'function', function: { name: 'clock', arguments: '' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_of another:vendor.1', content: '4 degrees' },
    { role: 'tool', tool_call_id: 'call_2', content: 'noon' },
    { role: 'user', content: 'And now?' },
  ],
  tools: [
    {
      type: 'function',
      function: { name: 'weather', description: 'Looks outside.', parameters: WEATHER, strict: true },
    },
    { type: 'function', function: { name: 'clock' } },
  ],
  tool_choice: 'required',
  response_format: { type: 'json_schema', json_schema: { name: 'place', strict: true, schema: WEATHER } },
  stop: ['END'],
  seed: 7,
  temperature: 0.5,
};

const RECEIVED: Omit<Received, 'model'> = {
  maxTokens: 9,
  system: 'Be brief.',
  lines: [
    'user: Where is this?',
    'user shows image/png',
    'assistant: Let me look.',
    'assistant calls weather {"city":"Oslo"}',
    'assistant calls clock {}',
    'tool weather: 4 degrees',
    'tool clock: noon',
    'user: And now?',
  ],
  tools: ['weather', 'clock'],
  schema: WEATHER,
  stop: ['END'],
};

/** The contract of each vendor of texts. */
export const holdTextVendorToContract = (name: string): void => {
  const vendor = textVendorOf(name);
  let fake: FakeTextServer;
  let provider: TextProvider;
  let logged: { readonly level: string; readonly text: string }[];

  const providerAt = (baseUrl: string): TextProvider => {
    const { providers } = readSettings({ ...vendor.variables(baseUrl, fake.key), ALLOW_SANDBOX_MIX: 'true' });
    const own = providers.find((each) => each.name === vendor.provider)!;
    // The vendor's adapter for media may need another part. These tests never use it.
    return vendorOf(own).adapters(own, () => undefined as never).text!;
  };

  const complete = (signal = soon(), from = provider) =>
    from.complete({ model: vendor.model, messages: [...HI], maxTokens: 9, ourId: 'ch_1' }, signal);

  const converse = async (
    signal = soon(),
    from = provider,
    body: object = { messages: [...HI] },
    pieces: ConversationPiece[] = [],
  ): Promise<ConversationPiece[]> => {
    const request = requestOf(body, { model: vendor.model, maxTokens: 9 });
    for await (const piece of from.converse(request, signal)) pieces.push(...piece);
    return pieces;
  };

  /** The text before a stream failed, and the error. */
  const brokenBy = async (said: Said, ms = 1_000) => {
    fake.sayNext(said);
    const pieces: ConversationPiece[] = [];
    const error = await converse(soon(ms), provider, undefined, pieces).catch((thrown: unknown) => thrown);
    return { text: textsIn(pieces), error };
  };

  /** The outcomes of both kinds of calls. */
  const failures = async (fault: ProviderFaultName): Promise<unknown[]> => {
    fake.failNext('chat', fault, fault);
    const thrown = (error: unknown): unknown => error;
    const ms = fault === 'hang' ? 300 : 10_000; // A busy machine answers late.
    return [await complete(soon(ms)).catch(thrown), await converse(soon(ms)).catch(thrown)];
  };
  const kindsOf = (errors: readonly unknown[]) => errors.map((error) => error?.constructor);

  beforeAll(async () => {
    const line =
      (level: string) =>
      (...words: unknown[]): void => {
        const said = words.map((word) => JSON.stringify(word, ['err', 'message', 'status']) ?? String(word));
        logged.push({ level, text: said.join(' ') });
      };
    logged = [];
    Logger.overrideLogger({ log: line('log'), warn: line('warn'), error: line('error') });
    fake = await vendor.start();
    provider = providerAt(fake.origin);
  });

  afterEach(() => {
    fake.forgiveAll();
    fake.streamEndsAfter = undefined;
    logged = [];
  });

  afterAll(async () => {
    await provider.close();
    await fake.stop();
  });

  it('completes a text, with what it has counted', async () => {
    const { content, promptTokens, completionTokens } = await complete();

    expect(content).not.toBe('');
    expect([promptTokens > 0, completionTokens > 0]).toEqual([true, true]);
  });

  it('streams pieces, says how it ended, and counts at the end', async () => {
    const pieces = await converse();
    const usage = pieces.at(-1)!;

    expect(usage).toEqual({
      usage: expect.objectContaining({
        promptTokens: expect.any(Number),
        completionTokens: expect.any(Number),
      }),
    });
    // A vendor may also count before the end.
    const deltas = pieces.flatMap((piece) => ('delta' in piece ? [piece] : []));
    expect(deltas.map((piece) => textOf(piece.delta['content']) ?? '').join('')).not.toBe('');
    expect(deltas.filter((piece) => piece.finishReason !== undefined)).toHaveLength(1);
  });

  it.each<[ProviderFaultName, new () => Error]>([
    [400, ProviderFailed],
    [422, ProviderFailed],
    [401, ProviderUnavailable],
    [404, ProviderUnavailable],
    [429, ProviderUnavailable],
    [529, ProviderUnavailable],
    [500, ProviderUnavailable],
    [503, ProviderUnavailable],
    ['hang', AnswerLost],
    ['reset', AnswerLost],
    ['garbage', AnswerLost],
    ['drop reply', AnswerLost],
  ])('after %j knows whether another route may be asked, and quotes nobody', async (fault, type) => {
    const errors = await failures(fault);

    expect(kindsOf(errors)).toEqual([type, type]);
    const said = JSON.stringify([errors, errors.map((error) => (error as Error).message), logged]);
    expect(said).not.toContain(VENDOR_WORDS);
  });

  it('leaves an empty account of ours to the next route, and notifies the operator', async () => {
    const errors = await failures({ says: vendor.emptyAccount });

    expect(kindsOf(errors)).toEqual([ProviderUnavailable, ProviderUnavailable]);
    expect(logged.length).toBeGreaterThan(0);
    for (const { level } of logged) expect(['warn', 'error']).toContain(level);
  });

  it('knows that nobody was reached', async () => {
    for (const protocol of ['http', 'https']) {
      const nowhere = providerAt(await refusedOrigin(protocol));
      const errors = [
        await complete(soon(), nowhere).catch((error: unknown) => error),
        await converse(soon(), nowhere).catch((error: unknown) => error),
      ];

      expect(kindsOf(errors)).toEqual([ProviderUnavailable, ProviderUnavailable]);
      await nowhere.close();
    }
  });

  it('takes a stream that breaks off for a failure', async () => {
    fake.streamEndsAfter = 2;

    await expect(converse()).rejects.toBeInstanceOf(AnswerLost);
  });

  it('stops the work upstream when nobody reads any more', async () => {
    fake.streamEndsAfter = Infinity;
    const before = fake.hungUp;
    const request = requestOf({}, { model: vendor.model, maxTokens: 9 });
    for await (const piece of provider.converse(request, soon())) {
      expect(piece).toBeDefined();
      break;
    }

    await expectEventually(() => fake.hungUp === before + 1);
  });

  if (vendor.plain === true) {
    it('leaves what it has no words for to the next route', async () => {
      await expect(converse(soon(), provider, ALL_OF_IT)).rejects.toBeInstanceOf(NotServed);
    });
  } else {
    it('is asked all that a client asked', async () => {
      await converse(soon(), provider, ALL_OF_IT);

      expect(fake.refused).toEqual([]);
      expect(fake.received).toEqual({ model: vendor.model, ...RECEIVED });
    });

    it(`gets and answers the same as every other vendor in ${SAME_CALLS} calls`, async () => {
      for (const { body, system, lines, tools, said } of sameCalls(SAME_CALLS, 32)) {
        fake.sayNext(said);
        const pieces = await converse(soon(10_000), provider, body);

        expect(fake.received).toMatchObject({ model: vendor.model, system, lines, tools });
        expect(whole(pieces)).toEqual({
          text: said.texts!.join(''),
          calls: said.calls!.map(({ name, input }) => [name, input]),
          ids: said.calls!.length,
          finish: [said.finish],
          counted: [said.counts.read, said.counts.written],
        });
      }
      expect(fake.refused).toEqual([]);
    });

    it('says which field it does not serve, where it serves a call not at all', async () => {
      const file = { type: 'file', file: { file_data: 'data:application/pdf;base64,aGk=' } };
      const strange = { messages: [{ role: 'user', content: [file] }] };
      const error = await converse(soon(), provider, strange).catch((thrown: unknown) => thrown);

      // A vendor that passes parts on unchanged reports nothing about them.
      if (error instanceof NotServed) expect(error.param).toBe('messages[0].content[0]');
      else expect(Array.isArray(error)).toBe(true);
    });

    it('asks for tools in pieces that make whole calls', async () => {
      fake.sayNext({
        texts: ['I look.'],
        calls: [
          { name: 'weather', input: { city: 'Oslo', days: [1, 2] } },
          { name: 'clock', input: {} },
        ],
        finish: 'tool_calls',
        counts: { read: 40, written: 20 },
      });
      const pieces = await converse(soon(), provider, ALL_OF_IT);

      expect(whole(pieces)).toEqual({
        text: 'I look.',
        calls: [
          ['weather', { city: 'Oslo', days: [1, 2] }],
          ['clock', {}],
        ],
        finish: ['tool_calls'],
        counted: [40, 20],
        ids: 2,
      });
    });
  }

  it('says who speaks in its first piece, and that its limit ended it in its last', async () => {
    fake.sayNext({ ...USUAL, finish: 'length' });
    const pieces = await converse();

    expect(pieces[0]).toMatchObject({ delta: { role: 'assistant' } });
    expect(pieces.flatMap((piece) => ('delta' in piece ? (piece.finishReason ?? []) : []))).toEqual([
      'length',
    ]);
  });

  it('counts all of the prompt, with what came out of a cache', async () => {
    fake.sayNext({ ...USUAL, counts: { read: 100, written: 3, cached: 60 } });
    const { usage } = (await converse()).at(-1) as { readonly usage: TextUsage };

    expect([usage.promptTokens, usage.completionTokens]).toEqual([
      // This vendor counts a prompt without its cached part.
      vendor.countsCacheApart === true ? 160 : 100,
      3,
    ]);
    if (usage.cacheReadTokens !== undefined) expect(usage.cacheReadTokens).toBe(60);
  });

  it('takes a refusal of the content for a no that no other route is asked about', async () => {
    const refusal: Said = { texts: [], finish: 'content_filter', counts: { read: 9, written: 0 } };
    fake.sayNext(refusal, refusal);
    const errors = [
      await complete().catch((error: unknown) => error),
      await converse().catch((error: unknown) => error),
    ];

    expect(kindsOf(errors)).toEqual([ProviderFailed, ProviderFailed]);
  });

  it('lets another route try where it is overloaded before its first word', async () => {
    const { text, error } = await brokenBy({ ...USUAL, after: { events: 0, comes: 'trouble' } });

    expect([text, error?.constructor]).toEqual(['', ProviderUnavailable]);
  });

  it.each(['trouble', 'reset', 'silence'] as const)(
    'keeps what was said before a stream ends in %s, and begins nowhere else',
    async (comes) => {
      const texts = ['Hello', ' there', ', friend', ' of', ' mine', '.'];
      const { text, error } = await brokenBy({ texts, after: { events: 4, comes } }, 300);

      expect(error?.constructor).toBe(AnswerLost);
      expect(text).toMatch(/^Hello/);
      expect(JSON.stringify([(error as Error).message, logged])).not.toContain(VENDOR_WORDS);
    },
  );

  it('cuts off a stream that never ends', async () => {
    const texts = ['Hello', ' there', ', friend', ' of', ' mine', '.'];
    const { error } = await brokenBy({ texts, after: { events: 4, comes: 'more' } }, 20_000);

    expect(error?.constructor).toBe(AnswerLost);
    await expectEventually(() => fake.hungUp > 0);
  });

  it.each([
    [{ read: -5, written: -5 }],
    [{ read: 'many', written: null }],
    [{ read: 1.5, written: 2 ** 60 }],
    [undefined],
  ])('believes no count that can be none: %j', async (counts) => {
    fake.sayNext({ ...USUAL, counts });
    const pieces = await converse();

    expect(textsIn(pieces)).toBe('Hello there.');
    expect(pieces.filter((piece) => 'usage' in piece)).toEqual([]);
  });
};
