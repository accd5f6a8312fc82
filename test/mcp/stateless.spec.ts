import { type Answer, World } from '../support/world';

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('the stateless version of the protocol', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  const send = (
    method: string,
    params: object = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> =>
    world.post(
      '/mcp?payment=x402',
      { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } },
      {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': VERSION,
        'mcp-method': method,
        ...('name' in params ? { 'mcp-name': String(params.name) } : {}),
        ...headers,
      },
    );

  it('needs no handshake', async () => {
    const { status, body } = await send('server/discover');

    expect(status).toBe(200);
    expect(body.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: expect.arrayContaining([VERSION]),
      capabilities: { tools: {}, resources: {}, prompts: {} },
      cacheScope: 'public',
    });
    expect(body.result._meta['io.modelcontextprotocol/serverInfo']).toMatchObject({ name: 'lamppost' });
  });

  it('says how long its lists may be kept, and those of a key for its caller alone', async () => {
    const [tools, prompts, templates] = await Promise.all(
      ['tools/list', 'prompts/list', 'resources/templates/list'].map((method) => send(method)),
    );

    expect(tools!.body.result).toMatchObject({ cacheScope: 'private', ttlMs: expect.any(Number) });
    expect(prompts!.body.result).toMatchObject({ cacheScope: 'public', ttlMs: expect.any(Number) });
    expect(templates!.body.result).toMatchObject({ resourceTemplates: [] });
  });

  it.each([
    ['another method', { 'mcp-method': 'tools/list' }],
    ['another tool', { 'mcp-name': 'generate_video' }],
  ])('refuses headers that name %s than the body', async (_, headers) => {
    const { status, body } = await send('tools/call', { name: 'list_models', arguments: {} }, headers);

    expect([status, body.error.code]).toEqual([400, expect.any(Number)]);
  });

  it('refuses a version that does not exist, and names those that do', async () => {
    const { status, body } = await world.post(
      '/mcp?payment=x402',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/list',
        params: { _meta: { ...META, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' } },
      },
      {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2030-01-01',
        'mcp-method': 'tools/list',
      },
    );

    expect(status).toBe(400);
    expect(JSON.stringify(body.error.data)).toContain(VERSION);
  });

  it('keeps no stream open for changes, because there are none', async () => {
    const { body } = await send('subscriptions/listen', { notifications: { toolsListChanged: true } });

    expect(JSON.stringify(body)).toContain('limit reached');
  });
});
