import { requestOf } from '../../../../test/support/conversations';
import type { ConversationPiece } from '../text-provider';
// From ai.google.dev/gemini-api/docs/generate-content/text-generation and /api/generate-content.
import answer from './fixtures/answer.json';
import { GEMINI_WIRE, judge, toContent, toTextAnswer } from './gemini.wire';

const ask = (body: object, model = 'gemini-3.5-flash') =>
  toContent(requestOf(body, { model })) as {
    readonly contents: readonly object[];
    readonly generationConfig: object;
  };

const read = (...events: readonly unknown[]) => {
  const reader = GEMINI_WIRE.reader(100);
  const pieces: readonly ConversationPiece[] = reader.read(events.map((event) => JSON.stringify(event)));
  return { pieces, reader };
};

const [candidate] = answer.candidates;
const ended = (finishReason: string, parts: readonly object[] = []) => ({
  ...answer,
  candidates: [{ ...candidate, content: { role: 'model', parts }, finishReason }],
});

describe('the words of generateContent', () => {
  it('reads a documented answer, and counts its thoughts as what is written', () => {
    expect(toTextAnswer(answer)).toEqual({
      content: '1+1 equals 2.',
      finishReason: 'stop',
      promptTokens: 15,
      completionTokens: 36,
      cacheReadTokens: 10,
    });
  });

  it('reads a stream, whose calls of tools come whole', () => {
    const called = { functionCall: { name: 'weather', args: { city: 'Oslo' } }, thoughtSignature: 'EjQK' };
    const { pieces, reader } = read(
      ended(undefined as never, [{ text: 'So.', thought: true }]),
      ended(undefined as never, [{ text: 'I look.' }]),
      ended('STOP', [called]),
    );

    expect(pieces).toEqual([
      { delta: { role: 'assistant', reasoning_content: 'So.' } },
      { delta: { content: 'I look.' } },
      {
        delta: {
          tool_calls: [
            {
              index: 0,
              id: expect.stringMatching(/^call_/),
              type: 'function',
              function: { name: 'weather', arguments: '{"city":"Oslo"}' },
              extra_content: { google: { thought_signature: 'EjQK' } },
            },
          ],
        },
      },
      { delta: {}, finishReason: 'tool_calls' },
      { usage: { promptTokens: 15, completionTokens: 36, cacheReadTokens: 10 } },
    ]);
    expect([reader.isDone, reader.hasFinish, reader.fault]).toEqual([true, true, undefined]);
  });

  it.each([null, 'text', {}, { candidates: [] }, { ...answer, usageMetadata: {} }, ended('STOP')])(
    'takes %j for no answer',
    (value) => expect(toTextAnswer(value)).toBeUndefined(),
  );

  it.each([{ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }, ended('SAFETY')])(
    'takes %j for a refusal',
    (value) => {
      const refusal = expect.objectContaining({ outcome: 'refused' });
      expect(() => toTextAnswer(value)).toThrow(refusal);
      expect(read(value).reader.fault).toEqual(refusal);
    },
  );

  it('says how much to think as each kind of model knows it', () => {
    const config = (model: string) => ask({ reasoning_effort: 'medium' }, model).generationConfig;

    expect(config('gemini-3.5-flash')).toMatchObject({ thinkingConfig: { thinkingLevel: 'medium' } });
    expect(config('gemini-2.5-pro')).toMatchObject({ thinkingConfig: { thinkingBudget: 8_192 } });
  });

  it('hands on results as objects, named by the call that they answer', () => {
    const messages = [
      { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'a', content: '{"x":1}' },
    ];

    expect(ask({ messages }).contents.at(-1)).toEqual({
      role: 'user',
      parts: [{ functionResponse: { name: 'f', response: { x: 1 } } }],
    });
    expect(() => ask({ messages: messages.slice(1) })).toThrow(
      expect.objectContaining({
        outcome: 'not-served',
        param: expect.stringMatching(/^messages\[0\]/) as string,
      }),
    );
  });

  it('writes JSON by a schema, and without one', () => {
    const schema = { type: 'object' };
    const format = { type: 'json_schema', json_schema: { name: 'x', schema } };

    expect(ask({ response_format: format }).generationConfig).toMatchObject({
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    });
    expect(ask({ response_format: { type: 'json_object' } }).generationConfig).toMatchObject({
      responseMimeType: 'application/json',
    });
  });

  it.each([
    [
      { status: 429, codes: ['RESOURCE_EXHAUSTED'], message: 'Your prepayment credits are depleted. …' },
      'empty-account',
    ],
    [
      {
        status: 400,
        codes: ['INVALID_ARGUMENT'],
        message: 'API key not valid. Please pass a valid API key.',
      },
      'not-accepted',
    ],
    [
      { status: 400, codes: ['FAILED_PRECONDITION'], message: 'User location is not supported' },
      'not-accepted',
    ],
    [
      { status: 503, codes: ['UNAVAILABLE'], message: 'The model is overloaded. Please try again later.' },
      'not-accepted',
    ],
    [{ status: 503, codes: ['UNAVAILABLE'], message: 'Deadline' }, undefined],
    [{ status: 400, codes: ['INVALID_ARGUMENT'], message: 'No such "API key not valid"' }, undefined],
  ])('judges %j', (refusal, expected) => {
    expect(judge(refusal)).toBe(expected);
  });
});
