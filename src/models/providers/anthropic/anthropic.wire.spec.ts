import { requestOf } from '../../../../test/support/conversations';
import type { ConversationPiece } from '../text-provider';
import { ANTHROPIC_WIRE, judge, toMessage, toTextAnswer } from './anthropic.wire';
// From platform.claude.com/docs/en/build-with-claude/streaming and /docs/en/api/messages.
import events from './fixtures/events.json';
import message from './fixtures/message.json';

const ask = (body: object, model = 'claude-opus-5-5') => toMessage(requestOf(body, { model }), true);

const read = (...events: readonly unknown[]) => {
  const reader = ANTHROPIC_WIRE.reader(100);
  const pieces: readonly ConversationPiece[] = reader.read(events.map((event) => JSON.stringify(event)));
  return { pieces, reader };
};

describe('the words of the Messages API', () => {
  it('reads a documented answer, and counts what came out of the cache', () => {
    expect(toTextAnswer(message)).toEqual({
      content: 'Hello!',
      finishReason: 'stop',
      promptTokens: 2_060,
      completionTokens: 6,
      cacheReadTokens: 1_800,
      cacheWriteTokens: 248,
    });
  });

  it('reads a documented stream with a thought and the call of a tool', () => {
    const { pieces, reader } = read(...events);
    const call = (name: string | undefined, args: string) => ({
      delta: {
        tool_calls: [
          name === undefined
            ? { index: 0, function: { arguments: args } }
            : {
                index: 0,
                id: 'toolu_01T1x1fJ34qAmk2tNTrN7Up6',
                type: 'function',
                function: { name, arguments: args },
              },
        ],
      },
    });

    expect(pieces).toEqual([
      { delta: { role: 'assistant', reasoning_content: 'A tool.' } },
      { usage: { promptTokens: 472, completionTokens: 0 } },
      { delta: {}, signature: expect.stringMatching(/^EqQBCgIYAhIM/) },
      { delta: { content: "Okay, let's check" } },
      call('get_weather', ''),
      call(undefined, '{"location":'),
      call(undefined, ' "San Francisco, CA"}'),
      { delta: {}, finishReason: 'tool_calls' },
      { usage: { promptTokens: 472, completionTokens: 89 } },
    ]);
    expect([reader.isDone, reader.hasFinish, reader.fault]).toEqual([true, true, undefined]);
  });

  it.each([null, 'text', {}, { type: 'message' }, { ...message, usage: {} }, { ...message, content: [] }])(
    'takes %j for no answer',
    (value) => expect(toTextAnswer(value)).toBeUndefined(),
  );

  it('takes an answer that its limit ended in its thoughts', () => {
    expect(toTextAnswer({ ...message, content: [], stop_reason: 'max_tokens' })).toMatchObject({
      finishReason: 'length',
      content: '',
    });
  });

  it('leaves out how to sample where a model chooses by itself', () => {
    const options = { temperature: 1.6, top_p: 0.5, reasoning_effort: 'low' };

    expect(ask(options)).toEqual(expect.not.objectContaining({ temperature: expect.anything() }));
    expect(ask(options)).toMatchObject({ output_config: { effort: 'low' } });
    expect(ask(options, 'claude-haiku-4-5')).toMatchObject({ temperature: 1 });
    expect(ask(options, 'claude-haiku-4-5')).not.toHaveProperty('output_config');
    expect(ask({ top_p: 0.5 }, 'claude-haiku-4-5')).toMatchObject({ top_p: 0.5 });
  });

  it.each([
    ['none', undefined, { type: 'none' }],
    ['auto', false, { type: 'auto', disable_parallel_tool_use: true }],
    ['required', undefined, { type: 'any' }],
    [{ type: 'function', function: { name: 'f' } }, undefined, { type: 'tool', name: 'f' }],
    [undefined, undefined, { type: 'auto' }],
  ])('asks for tools as it knows it: %j', (choice, parallel, expected) => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const body = { tools, tool_choice: choice, parallel_tool_calls: parallel };

    expect(ask(body)).toMatchObject({ tool_choice: expected });
    expect(ask({ ...body, tools: [] })).not.toHaveProperty('tool_choice');
  });

  it('closes each object of a schema, and changes nothing else of it', () => {
    const schema = { type: 'object', properties: { a: { type: 'array', items: { type: 'object' } } } };
    const format = { type: 'json_schema', json_schema: { name: 'x', schema } };

    expect(ask({ response_format: format })).toMatchObject({
      output_config: {
        format: {
          type: 'json_schema',
          schema: {
            type: 'object',
            additionalProperties: false,
            properties: { a: { type: 'array', items: { type: 'object', additionalProperties: false } } },
          },
        },
      },
    });
  });

  it.each([
    ['response_format', { response_format: { type: 'json_object' } }],
    ['frequency_penalty', { frequency_penalty: 0.5 }],
    ['presence_penalty', { presence_penalty: -0.5 }],
    ['stop', { stop: ['\n'] }],
    [
      'messages[0].tool_calls[0]',
      {
        messages: [
          { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: '[1]' } }] },
        ],
      },
    ],
    [
      'messages[0].content[0]',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'data:image/avif;base64,aGk=' } }],
          },
        ],
      },
    ],
  ])('names the field that it does not serve: %s', (param, body) => {
    expect(() => ask(body)).toThrow(expect.objectContaining({ outcome: 'not-served', param }));
  });

  it.each([
    [{ status: 402, codes: ['billing_error'], message: '' }, 'empty-account'],
    [
      {
        status: 400,
        codes: ['invalid_request_error'],
        message: 'You have reached your specified API usage limits. …',
      },
      'empty-account',
    ],
    [
      {
        status: 400,
        codes: ['invalid_request_error'],
        message: 'messages: "your credit balance is too low"',
      },
      undefined,
    ],
    [{ status: 500, codes: ['overloaded_error'], message: 'Overloaded' }, 'not-accepted'],
    [{ status: 500, codes: ['api_error'], message: 'Internal server error' }, undefined],
  ])('judges %j', (refusal, expected) => {
    expect(judge(refusal)).toBe(expected);
  });

  it('fails on what is no event', () => {
    expect(ANTHROPIC_WIRE.reader(100).read(['<html>'])).toEqual([]);
    const reader = ANTHROPIC_WIRE.reader(100);
    reader.read(['<html>']);
    expect(reader.fault).toBeInstanceOf(SyntaxError);
    expect(read({ type: 'a_new_one' }, null, 7).reader.fault).toBeUndefined();
  });
});
