import { ApiError, type FunctionCall, FunctionCallingConfigMode, GoogleGenAI, Type } from '@google/genai';

import { VENDOR_WORDS } from '../support/fake-provider';
import { USUAL } from '../support/fake-text-server';
import { CALLS, CompatibleStage, HANDED_ON, PIXEL, priceOf } from '../compatible/compatible-stage';

const TOOL = {
  functionDeclarations: [
    {
      name: 'weather',
      description: 'Looks outside.',
      parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } } },
    },
  ],
};

describe('/v1/models, for the stock client of its maker', () => {
  let stage: CompatibleStage;
  let client: GoogleGenAI;

  beforeAll(async () => {
    stage = await CompatibleStage.start();
  });

  beforeEach(async () => {
    const { key } = await stage.newCaller();
    client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: stage.url } });
  });

  afterEach(() => stage.tidy());
  afterAll(() => stage.stop());

  const failure = async (asked: Promise<unknown>): Promise<ApiError> => {
    const error: unknown = await asked.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    return error as ApiError;
  };

  describe.each(['claude', 'other'] as const)('with the model %s', (model) => {
    it('answers whole, charged by the tokens that the vendor has counted', async () => {
      stage.fakes[model].sayNext({ texts: ['Hello', ' you.'], counts: { read: 20, written: 10 } });
      const answer = await client.models.generateContent({ model, contents: 'Hello.' });

      expect(answer.text).toBe('Hello you.');
      expect(answer).toMatchObject({
        modelVersion: model,
        candidates: [{ finishReason: 'STOP', index: 0 }],
        usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 10, totalTokenCount: 30 },
      });
      expect(await stage.spent()).toBe(priceOf(20, 10));
    });

    it('streams what its client knows, and says what it cost', async () => {
      stage.fakes[model].sayNext(CALLS);
      const stream = await client.models.generateContentStream({
        model,
        contents: 'Hello.',
        config: { tools: [TOOL] },
      });
      let text = '';
      const calls: FunctionCall[] = [];
      let last: unknown;
      for await (const piece of stream) {
        // The client's own getter of the text prints a warning about calls of functions.
        text += piece.candidates?.[0]?.content?.parts?.[0]?.text ?? '';
        calls.push(...(piece.functionCalls ?? []));
        last = piece;
      }

      expect(text).toBe('I look.');
      expect(calls.map(({ name, args }) => [name, args])).toEqual([
        ['weather', { city: 'Oslo' }],
        ['weather', { city: 'Rome' }],
      ]);
      expect(last).toMatchObject({
        candidates: [{ finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 1_000, candidatesTokenCount: 50 },
      });
      expect(await stage.spent()).toBe(priceOf(1_000, 50));
    });

    it('hands on a prompt, pictures, calls of functions and their results', async () => {
      stage.fakes[model].sayNext(CALLS);
      const first = await client.models.generateContent({ model, contents: 'Hi', config: { tools: [TOOL] } });
      // Results name their calls by id, or have the order of the calls.
      const results = first.functionCalls!.map(({ id, name }, at) => ({
        functionResponse: { ...(at === 0 && { id }), name, response: { output: '4 degrees' } },
      }));
      await client.models.generateContent({
        model,
        contents: [
          {
            role: 'user',
            parts: [{ text: 'Where?' }, { inlineData: { mimeType: 'image/png', data: PIXEL } }],
          },
          first.candidates![0]!.content!,
          { role: 'user', parts: [...results, { text: 'And now?' }] },
        ],
        config: {
          maxOutputTokens: 32,
          systemInstruction: 'Be brief.',
          stopSequences: ['END'],
          tools: [TOOL],
          toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } },
        },
      });

      expect(stage.fakes[model].received).toMatchObject({
        maxTokens: 32,
        system: model === 'claude' ? 'Be brief.' : expect.stringContaining('Be brief.'),
        lines: HANDED_ON.map((line) =>
          line.replace('tool weather: 4 degrees', 'tool weather: {"output":"4 degrees"}'),
        ),
        tools: ['weather'],
        stop: ['END'],
      });
    });

    it('answers by a schema of either kind', async () => {
      const json = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
      const own = { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] };
      for (const config of [{ responseJsonSchema: json }, { responseSchema: own }]) {
        await client.models.generateContent({
          model,
          contents: 'Where?',
          config: { responseMimeType: 'application/json', ...config },
        });

        expect(stage.fakes[model].received.schema).toMatchObject(json);
      }
    });
  });

  it('names each call of a long conversation once, where its client names none', async () => {
    const called = { role: 'model', parts: [{ functionCall: { name: 'weather', args: {} } }] };
    const result = { role: 'user', parts: [{ functionResponse: { name: 'weather', response: {} } }] };
    const asked = { role: 'user', parts: [{ text: 'Where?' }] };
    await client.models.generateContent({
      model: 'other',
      contents: [asked, called, result, called, result],
      config: { tools: [TOOL] },
    });

    const { messages } = stage.fakes.other.bodies.at(-1) as {
      messages: { tool_calls?: { id: string }[]; tool_call_id?: string }[];
    };
    const ids = messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id));
    expect(new Set(ids).size).toBe(2);
    expect(messages.flatMap(({ tool_call_id: id }) => id ?? [])).toEqual(ids);
  });

  it('shows thoughts as parts of their own to a caller who asks for them', async () => {
    const thoughts = async (includeThoughts: boolean): Promise<readonly [string, string]> => {
      stage.fakes.other.sayNext({ ...USUAL, thinks: 'A lamp?' });
      const config = { thinkingConfig: { includeThoughts } };
      const asked = { model: 'other', contents: 'Hi', config };
      const whole = await client.models.generateContent(asked);
      stage.fakes.other.sayNext({ ...USUAL, thinks: 'A lamp?' });
      let streamed = '';
      for await (const piece of await client.models.generateContentStream(asked))
        for (const { text = '', thought } of piece.candidates?.[0]?.content?.parts ?? [])
          if (thought === true) streamed += text;
      const parts = whole.candidates![0]!.content!.parts!;
      return [
        parts.flatMap(({ text, thought }) => (thought === true ? (text ?? []) : [])).join(''),
        streamed,
      ];
    };

    expect(await thoughts(true)).toEqual(['A lamp?', 'A lamp?']);
    expect(await thoughts(false)).toEqual(['', '']);
  });

  it('charges a repetition once, and streams it again', async () => {
    const httpOptions = { headers: { 'Idempotency-Key': `again-${stage.caller.keyId}` } };
    const read = async (model = 'claude'): Promise<string> => {
      let text = '';
      const asked = { model, contents: 'Hello.', config: { httpOptions } };
      for await (const piece of await client.models.generateContentStream(asked)) text += piece.text ?? '';
      return text;
    };
    const first = await read();
    const paid = await stage.spent();

    expect(first).not.toBe('');
    expect(await read()).toBe(first);
    expect(await stage.spent()).toBe(paid);
    // The model is in the address, so this is another call although its body is the same.
    expect((await failure(read('other'))).status).toBe(422);
  });

  it('quotes the most that a call can cost, by its path', async () => {
    const body = {
      model: 'other',
      contents: [{ parts: [{ text: 'Hello.' }] }],
      generationConfig: { maxOutputTokens: 100 },
    };
    const path = encodeURIComponent('/v1/models/:call');
    const { status, body: quote } = await stage.world.post(`/v1/agent/quote?path=${path}`, body, {
      'x-api-key': stage.caller.key,
    });

    expect([status, quote.priceMicro > 0]).toEqual([200, true]);
  });

  it.each([
    ['an unknown model', { model: 'nobody', contents: 'Hi' }, 400, 'model'],
    [
      'a limit below one',
      { model: 'claude', contents: 'Hi', config: { maxOutputTokens: 0 } },
      400,
      'maxOutputTokens',
    ],
    [
      'tools of the vendor',
      { model: 'claude', contents: 'Hi', config: { tools: [{ codeExecution: {} }] } },
      400,
      'tools',
    ],
    [
      'a result without its call',
      {
        model: 'claude',
        contents: [{ role: 'user', parts: [{ functionResponse: { name: 'weather', response: {} } }] }],
      },
      400,
      'contents[0].parts[0].functionResponse',
    ],
    [
      'a picture for a model that does not see',
      { model: 'blind', contents: [{ inlineData: { mimeType: 'image/png', data: PIXEL } }] },
      400,
      'contents',
    ],
  ])('refuses %s, names it, and takes nothing', async (_what, asked, status, name) => {
    const error = await failure(client.models.generateContent(asked));

    expect([error.status, error.message]).toEqual([status, expect.stringContaining(name)]);
    expect(await stage.spent()).toBe(0);
  });

  it('answers clients that call the beta of that API', async () => {
    const older = new GoogleGenAI({
      apiKey: stage.caller.key,
      apiVersion: 'v1beta',
      httpOptions: { baseUrl: stage.url },
    });

    expect((await older.models.generateContent({ model: 'claude', contents: 'Hi' })).text).not.toBe('');
  });

  it.each(['lumen', 'claude:countWords', 'claude:generateContent:x'])('has no call %s', async (call) => {
    const body = { contents: [{ parts: [{ text: 'Hi' }] }] };
    const headers = { 'x-goog-api-key': stage.caller.key };

    expect((await stage.world.post(`/v1/models/${call}`, body, headers)).status).toBe(404);
  });

  it('ends a broken stream with an error that its client throws, and charges nothing', async () => {
    stage.fakes.claude.sayNext({
      texts: ['Hello', ' you', ' there.'],
      after: { events: 4, comes: 'trouble' },
    });
    const read = async (): Promise<void> => {
      for await (const piece of await client.models.generateContentStream({
        model: 'claude',
        contents: 'Hi',
      }))
        expect(piece).toBeDefined();
    };

    const error = await failure(read());
    expect(error.message).not.toContain(VENDOR_WORDS);
    expect(await stage.spent()).toBe(0);
  });
});
