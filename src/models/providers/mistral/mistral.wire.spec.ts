import { toMistral } from './mistral.wire';

// From docs.mistral.ai/api (chat completions) and the messages of its validation.
describe('the dialect of Mistral', () => {
  it('names the seed as it knows it, and leaves out what it refuses', () => {
    const body = { model: 'm', seed: 7, stream: true, stream_options: { include_usage: true }, messages: [] };

    expect(toMistral(body)).toEqual({ model: 'm', random_seed: 7, stream: true, messages: [] });
  });

  it('gives calls of tools ids of nine letters, the same for a call and its result', () => {
    const calls = [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const { messages } = toMistral({
      messages: [
        { role: 'developer', content: 'Be brief.', name: 'me' },
        { role: 'assistant', content: '', reasoning_content: 'So.', tool_calls: calls },
        { role: 'tool', tool_call_id: 'call_1', content: 'x' },
        { role: 'tool', tool_call_id: 'abcDEF123', content: 'y' },
      ],
    }) as { readonly messages: readonly [object, { tool_calls: [{ id: string }] }, object, object] };
    const { id } = messages[1].tool_calls[0];

    expect(id).toMatch(/^[a-z0-9]{9}$/);
    expect(messages[0]).toEqual({ role: 'system', content: 'Be brief.' });
    expect(messages[1]).not.toHaveProperty('reasoning_content');
    expect(messages[2]).toMatchObject({ tool_call_id: id });
    expect(messages[3]).toMatchObject({ tool_call_id: 'abcDEF123' });
  });
});
