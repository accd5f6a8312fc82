import { requestOf } from '../../../../test/support/conversations';
import type { TextRequest } from '../text-provider';
import chunks from './fixtures/chunks.json';
import completion from './fixtures/completion.json';
import {
  judge,
  toCompletionBody,
  toConversationBody,
  toPieces,
  toTextAnswer,
  toTokenPrices,
} from './openai.wire';

const REQUEST: TextRequest = {
  model: 'gpt-4.1-nano',
  messages: [{ role: 'user', content: 'Hello, who are you?' }],
  maxTokens: 64,
  temperature: 0.5,
  ourId: 'ch_1',
};

describe('the list of models of a server', () => {
  it('names prices of tokens as OpenRouter writes them, without a float', () => {
    const pricing = { prompt: '0.00000125', completion: '0.00001', input_cache_read: '0.000000125' };
    const data = [
      { id: 'maker/model', pricing },
      { id: 'free', pricing: { prompt: '0', completion: '0' } },
      { id: 'auto', pricing: { prompt: '-1', completion: '-1' } },
      { id: 'scientific', pricing: { prompt: 1e-6, completion: '1e-6' } },
      { id: 'odd', pricing: { prompt: '1e', completion: '0x1' } },
      { id: 'without' },
      null,
    ];

    expect(toTokenPrices({ data })).toEqual(
      new Map([
        ['maker/model', { input: 1_250_000n, output: 10_000_000n, cacheRead: 125_000n }],
        ['free', { input: 0n, output: 0n }],
        ['scientific', { input: 1_000_000n, output: 1_000_000n }],
      ]),
    );
    expect(toTokenPrices({ object: 'list' }).size).toBe(0);
  });
});

describe('the words of the completions API', () => {
  it('names the limit as each kind of model knows it', () => {
    expect(toCompletionBody(REQUEST)).toMatchObject({ max_tokens: 64, temperature: 0.5 });
    const thinking = toCompletionBody({ ...REQUEST, model: 'o4-mini', reasoningEffort: 'low' });
    expect(thinking).toMatchObject({ max_completion_tokens: 64, reasoning_effort: 'low' });
    expect(JSON.stringify(thinking)).not.toContain('temperature');
    expect(thinking).not.toHaveProperty('max_tokens');
  });

  it('passes on what a caller sends, but not its model, limit or stream', () => {
    const tools = [{ type: 'function', function: { name: 'f' }, its: 'own' }];
    const body = { tools, max_tokens: 9_999, stream: false, model: 'mine' };

    expect(toConversationBody(requestOf(body, { model: 'gpt-4o', maxTokens: 5 }))).toEqual({
      messages: [],
      tools,
      model: 'gpt-4o',
      max_tokens: 5,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('reads a recorded completion', () => {
    expect(toTextAnswer(completion, REQUEST)).toEqual({
      content: 'Hello there.',
      finishReason: 'stop',
      promptTokens: 19,
      completionTokens: 10,
    });
  });

  it.each([
    [{ choices: [{ message: { content: null, refusal: 'No.' } }] }, 'No.'],
    [{ choices: [{ message: { content: [{ type: 'text', text: 'A' }, { text: 'B' }, 7] } }] }, 'AB'],
  ])('takes a refusal, or parts, as the answer that they are: %j', (value, content) => {
    expect(toTextAnswer(value, REQUEST)).toMatchObject({ content });
  });

  it.each([
    [null],
    ['text'],
    [[]],
    [{}],
    [{ choices: [] }],
    [{ choices: [{}] }],
    [{ choices: [{ message: { content: null } }] }],
    [{ choices: [{ message: { content: 7 } }] }],
    [{ choices: [{ message: { content: [{ type: 'image' }] } }] }],
  ])('does not take %j for a completion', (value) => {
    expect(toTextAnswer(value, REQUEST)).toBeUndefined();
  });

  it('reads the recorded chunks of a stream', () => {
    expect(chunks.flatMap((chunk) => toPieces(chunk) ?? [])).toEqual([
      { delta: { role: 'assistant', content: '' } },
      { delta: { content: 'Hello' } },
      { delta: {}, finishReason: 'stop' },
      { usage: { promptTokens: 9, completionTokens: 1 } },
    ]);
  });

  it('hides what clients do not know but counts it, and notices an error in the stream', () => {
    expect(toPieces({ choices: [{ delta: { content: 'x', images: ['acme'] } }] })).toEqual([
      { delta: { content: 'x' }, hidden: { images: ['acme'] } },
    ]);
    expect(toPieces({ error: { message: 'overloaded' } })).toBeUndefined();
    expect(toPieces('garbage')).toBeUndefined();
  });

  it.each([
    [{ tool_calls: [{ index: 4_000_000_000, function: { name: 'a' } }] }],
    [{ tool_calls: [{ index: -1, function: { name: 'a' } }] }],
    [{ tool_calls: [{ index: '0', function: { name: 'a' } }] }],
    [{ content: 7 }],
    [{ reasoning_content: { text: 'a' } }],
  ])('shows nobody a delta of another shape: %j', (delta) => {
    expect(toPieces({ choices: [{ delta }] })).toEqual([{ delta: {}, hidden: delta }]);
  });

  it('says in its own words how an answer ended, and who spoke', () => {
    expect(toPieces({ choices: [{ delta: { role: 'acme' }, finish_reason: 'acme_says_so' }] })).toEqual([
      { delta: { role: 'assistant' }, finishReason: 'stop' },
    ]);
  });

  it('does not blame the caller for our bill', () => {
    const outcome = (...codes: string[]) => judge({ status: 400, codes, message: '' });
    expect(outcome('billing_hard_limit_reached')).toBe('empty-account');
    expect(outcome('overloaded_error')).toBe('not-accepted');
    expect(outcome('content_policy_violation')).toBeUndefined();
  });

  it('knows an empty account by its words, and not by words that quote a caller', () => {
    const outcome = (message: string) => judge({ status: 400, codes: ['invalid_request_error'], message });
    expect(outcome('Your credit balance is too low to access the Anthropic API.')).toBe('empty-account');
    expect(outcome('No model writes "Your credit balance is too low".')).toBeUndefined();
    expect(outcome('Your credit balance is too lowly.')).toBeUndefined();
  });
});

describe('a server that bills more than tokens', () => {
  const file = { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } };
  const native = [{ id: 'file-parser', pdf: { engine: 'native' } }];

  it.each([
    ['reads a document by the model, and not by a service of its own', [file], 'usage_cost', native],
    ['gets no such option without a document', 'Hi', 'usage_cost', undefined],
    ['is the only one that gets it', [file], 'no_stream_options', undefined],
  ] as const)('%s', (_name, content, quirk, plugins) => {
    const request = requestOf({ messages: [{ role: 'user', content }] });

    expect(toConversationBody(request, new Set([quirk]))).toMatchObject(
      plugins === undefined ? {} : { plugins },
    );
    expect('plugins' in toConversationBody(request, new Set([quirk]))).toBe(plugins !== undefined);
  });
});
