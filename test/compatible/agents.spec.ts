import { CompatibleStage, PIXEL } from './compatible-stage';

const CACHE = { type: 'ephemeral', ttl: '1h' };

const SCHEMA = { type: 'object', properties: { path: { type: 'string' } } };

/** The first calls of the programs that people run all day, with every kind of field that they send. */
describe('the first call of', () => {
  let stage: CompatibleStage;

  beforeAll(async () => {
    stage = await CompatibleStage.start({ maxOutputTokens: 32_000 });
    await stage.newCaller();
  });

  afterEach(() => stage.tidy());
  afterAll(() => stage.stop());

  const post = (path: string, body: object, headers: object = {}) =>
    stage.world.post(path, body, { authorization: `Bearer ${stage.caller.key}`, ...headers });

  const CLAUDE_CODE = {
    model: 'claude',
    max_tokens: 64_000,
    metadata: { user_id: 'user_1' },
    system: [
      { type: 'text', text: 'You are an agent.', cache_control: CACHE },
      { type: 'text', text: 'Be brief.' },
    ],
    thinking: { type: 'enabled', budget_tokens: 31_999 },
    top_k: 5,
    stop_sequences: ['a', 'b', 'c', 'd', 'e'],
    tools: [{ name: 'read', input_schema: SCHEMA, cache_control: CACHE }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: CACHE }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'So.', signature: 'c2ln' },
          { type: 'redacted_thinking', data: 'cmVk' },
          { type: 'thinking', thinking: 'Of another maker.', signature: '' },
          { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            is_error: true,
            content: 'no such file',
            cache_control: CACHE,
          },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
        ],
      },
      { role: 'system', content: 'A reminder.' },
      { role: 'user', content: 'Go on.' },
    ],
  };

  it('Claude Code reaches its maker without loss', async () => {
    const answer = await post('/v1/messages?beta=true', CLAUDE_CODE, {
      'anthropic-beta': 'claude-code-20250219,interleaved-thinking-2025-05-14,context-1m-2025-08-07',
    });

    expect([answer.status, answer.headers['x-ignored']]).toEqual([200, 'metadata, anthropic-beta']);
    const [{ messages, ...sent }] = stage.fakes.claude.bodies.slice(-1) as [Record<string, unknown>];
    const { messages: asked, metadata: _, max_tokens: __, thinking: ___, ...same } = CLAUDE_CODE;
    expect(sent).toEqual({
      ...same,
      model: 'claude-haiku-4-5',
      max_tokens: 32_000,
      thinking: { type: 'enabled', budget_tokens: 31_999 },
      stream: true,
    });
    const [hi, thought, result, ...rest] = asked;
    const content = (thought!.content as readonly object[]).filter((_block, at) => at !== 2);
    const media = (messages as readonly { content: readonly object[] }[])[2]!.content[1];
    expect(messages).toEqual([
      hi,
      { ...thought, content },
      { ...result, content: [result!.content[0], media] },
      ...rest,
    ]);
    expect(media).toMatchObject({ type: 'image', source: { type: 'base64', media_type: 'image/png' } });
    expect(stage.fakes.claude.seen.at(-1)?.headers['anthropic-beta']).toBe(
      'claude-code-20250219,interleaved-thinking-2025-05-14',
    );
  });

  it('Claude Code reaches another maker, and the answer names what was lost', async () => {
    const answer = await post('/v1/messages', { ...CLAUDE_CODE, model: 'other' });

    expect(answer.status).toBe(200);
    expect(answer.headers['x-ignored']).toContain('messages[].content[].cache_control');
    expect(stage.fakes.other.received).toMatchObject({
      system: 'You are an agent.\nBe brief.\n\nA reminder.',
      tools: ['read'],
      maxTokens: 8_192,
    });
    expect(stage.fakes.other.received.lines).toContain('tool read: no such file');
  });

  it('Codex, whose tools are in namespaces or take texts', async () => {
    const [patch, find] = ['apply_patch', 'find'];
    stage.fakes.claude.sayNext({
      calls: [
        { name: patch, input: { input: '*** Begin' } },
        { name: 'mcp__files__find', input: { path: 'a' } },
      ],
      finish: 'tool_calls',
      counts: { read: 9, written: 9 },
    });
    const first = {
      model: 'claude',
      instructions: 'You are an agent.',
      store: false,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'session',
      reasoning: { effort: 'xhigh', summary: 'auto' },
      text: { verbosity: 'low' },
      tools: [
        {
          type: 'custom',
          name: patch,
          format: { type: 'grammar', syntax: 'lark', definition: 'start: /x/' },
        },
        {
          type: 'namespace',
          name: 'mcp__files',
          tools: [{ type: 'function', name: find, parameters: SCHEMA }],
        },
        { type: 'web_search' },
      ],
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
    };
    const answer = await post('/v1/responses', first);

    expect(answer.status).toBe(200);
    expect(answer.headers['x-ignored']).toContain('tools[]');
    const items = answer.body.output as readonly { call_id: string }[];
    expect(items).toEqual([
      expect.objectContaining({ type: 'custom_tool_call', name: patch, input: '*** Begin' }),
      expect.objectContaining({ type: 'function_call', namespace: 'mcp__files', name: find }),
    ]);
    const outputs = items.map(({ call_id }, at) => ({
      type: at === 0 ? 'custom_tool_call_output' : 'function_call_output',
      call_id,
      output: 'done',
    }));
    const reasoning = { type: 'reasoning', summary: [], encrypted_content: 'eA==' };
    const filler = Array.from({ length: 450 }, () => first.input[0]!);
    const input = [...first.input, reasoning, ...items, ...outputs, ...filler];
    expect((await post('/v1/responses', { ...first, input })).status).toBe(200);
    expect(stage.fakes.claude.received.lines).toEqual(
      expect.arrayContaining(['assistant calls apply_patch {"input":"*** Begin"}', 'tool apply_patch: done']),
    );
    expect(stage.fakes.claude.bodies.at(-1)).toMatchObject({ max_tokens: 32_000 });
  });

  it('Gemini CLI', async () => {
    const answer = await post('/v1beta/models/claude:generateContent', {
      systemInstruction: { role: 'user', parts: [{ text: 'You are an agent.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        {
          role: 'model',
          parts: [
            { text: 'So.', thought: true },
            { functionCall: { name: 'read', args: { path: 'a' } }, thoughtSignature: 'c2ln' },
          ],
        },
        { role: 'user', parts: [{ functionResponse: { name: 'read', response: { output: 'x' } } }] },
      ],
      tools: [
        { functionDeclarations: [{ name: 'read', parametersJsonSchema: SCHEMA }] },
        { googleSearch: {} },
        { urlContext: {} },
      ],
      generationConfig: {
        topK: 64,
        topP: 0.95,
        temperature: 1,
        thinkingConfig: { includeThoughts: true, thinkingLevel: 'high' },
      },
    });

    expect([answer.status, answer.headers['x-ignored']]).toEqual([
      200,
      'tools[].googleSearch, tools[].urlContext, generationConfig.thinkingConfig, generationConfig.topK, contents[].parts[], contents[].parts[].thoughtSignature',
    ]);
    expect(stage.fakes.claude.received).toMatchObject({ tools: ['read'], maxTokens: 32_000 });
  });

  it('opencode', async () => {
    const part = { type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } };
    const body = {
      max_tokens: 32_000,
      reasoning_effort: 'minimal',
      messages: [
        { role: 'system', content: 'You are an agent.' },
        { role: 'user', content: [part] },
      ],
      tools: [{ type: 'function', function: { name: 'read', parameters: SCHEMA } }],
      tool_choice: 'auto',
    };
    for (const model of ['claude', 'other'] as const) {
      expect((await post('/v1/chat/completions', { model, ...body })).status).toBe(200);
      expect(stage.fakes[model].received).toMatchObject({
        maxTokens: model === 'claude' ? 32_000 : 8_192,
        tools: ['read'],
      });
    }
    expect(stage.fakes.other.bodies.at(-1)).toMatchObject({ messages: body.messages });
  });

  it.each([
    ['/v1/messages', { max_tokens: 9, messages: [{ role: 'user', content: [{ type: 'hologram' }] }] }],
    ['/v1/chat/completions', { messages: [{ role: 'user', content: [{ type: 'hologram' }] }] }],
  ])('nobody has parts of an unknown kind: %s', async (path, body) => {
    const { status, body: answer } = await post(path, { model: 'claude', ...body });

    expect([status, answer.error.message]).toEqual([
      400,
      'messages[0].content[0]: a part of type "hologram" is not supported here.',
    ]);
  });
});
