import { PieceReader } from './piece-reader';

const chunk = (delta: object, more: object = {}): string =>
  JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: null }], ...more });

const read = (...events: readonly string[]) => {
  const reader = new PieceReader(100, new Set());
  return { pieces: reader.read(events), reader };
};

describe('the pieces of a stream', () => {
  it.each([
    ['plain', ['a', 'b', ' c']],
    ['written with escapes', ['"', '\\', '\n', 'ü\u0000', '"content":"a"']],
    ['that say nothing', ['a', '', 'b']],
  ])('are read alike when only their words differ: %s', (_, words) => {
    const { pieces } = read(...words.map((content) => chunk({ content })));

    expect(pieces).toEqual(words.map((content) => ({ delta: { content } })));
  });

  it('keep the fields beside the text', () => {
    const deltas = ['a', 'b'].map((content) => ({ role: 'assistant', content, reasoning_content: 'why' }));

    expect(read(...deltas.map((delta) => chunk(delta))).pieces).toEqual(deltas.map((delta) => ({ delta })));
  });

  it('are parsed again when more than their text differs', () => {
    const { pieces, reader } = read(
      chunk({ content: 'a' }),
      chunk({ content: 'b', images: ['x'] }),
      chunk({ content: 7 }),
      chunk({ content: null, refusal: 'no' }),
      chunk({ content: 'c' }, { usage: { prompt_tokens: 1, completion_tokens: 2 } }),
      chunk({ content: 'd' }).replace('null', '"stop"'),
      '[DONE]',
      chunk({ content: 'too late' }),
    );

    expect(pieces).toEqual([
      { delta: { content: 'a' } },
      { delta: { content: 'b' }, hidden: { images: ['x'] } },
      { delta: {}, hidden: { content: 7 } },
      { delta: { refusal: 'no' } },
      { delta: { content: 'c' } },
      { usage: { promptTokens: 1, completionTokens: 2 } },
      { delta: { content: 'd' }, finishReason: 'stop' },
    ]);
    expect(reader).toMatchObject({ isDone: true, hasFinish: true });
    expect(reader.fault).toBeUndefined();
  });

  it.each([
    ['cut short', '"b'],
    ['none', ''],
    ['two', '"b","content":"c"'],
    ['a number', '7'],
    ['an object', '{"a":1}'],
  ])('are identified by their text only where it is one string: %s', (_, words) => {
    const { pieces, reader } = read(chunk({ content: 'a' }), chunk({ content: 'a' }).replace('"a"', words));
    const alone = read(chunk({ content: 'a' }).replace('"a"', words));

    expect(pieces.slice(1)).toEqual(alone.pieces);
    expect(reader.fault?.constructor).toBe(alone.reader.fault?.constructor);
  });

  it('count up to the last one, and end with an error of the vendor', () => {
    const reader = new PieceReader(3, new Set());

    expect(reader.read(Array.from({ length: 5 }, () => chunk({ content: 'a' })))).toHaveLength(3);
    expect(reader.fault?.message).toContain('too long');
    expect(read(chunk({ content: 'a' }), '{"error":{}}').reader.fault).toBeDefined();
  });
});
