import './sample-captions/in-the-list';
import './sample-strips/in-the-list';

import { readFileSync } from 'node:fs';

import { holdRouteToContract, routeStages } from '../contract/route-contract';
import { KeyCaller } from '../support/caller';
import { McpCaller } from '../support/mcp';
import type { World } from '../support/world';
import { walkThroughText } from '../support/walk-throughs';

const FILES = [
  'sample-captions/sample-captions.dto.ts',
  'sample-captions/sample-captions.pricer.ts',
  'sample-captions/sample-captions.controller.ts',
  'sample-strips/sample-strips.controller.ts',
  'sample-captions/sample-captions.module.ts',
];

const OURS = ['/v1/agent/sample-captions', '/v1/agent/sample-strips'];

describe('paid routes that are one folder and one line', () => {
  const stageOf = routeStages();
  let world: World;

  beforeAll(() => {
    world = stageOf('x402').world;
  });

  it.each(FILES)('is in the walk-through, word for word: %s', (file) => {
    const source = readFileSync(`test/extending/${file}`, 'utf8');

    expect(walkThroughText()).toContain(source);
  });

  it('are published in a document of their own', async () => {
    const [agent, account, extensions] = await Promise.all(
      ['agent', 'account', 'extensions'].map(
        async (name) => (await world.get(`/v1/${name}/openapi.json`)).body,
      ),
    );

    expect(Object.keys(extensions.paths)).toEqual(expect.arrayContaining(OURS));
    const published = Object.keys({ ...agent.paths, ...account.paths });
    expect(Object.keys(extensions.paths).filter((path) => published.includes(path))).toEqual([]);
    expect(Object.keys({ ...agent.paths, ...account.paths })).not.toEqual(expect.arrayContaining(OURS));
    expect(Object.keys(agent.components.schemas)).not.toContain('SampleCaptionsBody');
    expect(Object.keys(extensions.components.schemas)).toContain('SampleCaptionsBody');
    expect(Object.keys(extensions.components.securitySchemes)).toEqual(
      expect.arrayContaining(Object.keys(agent.components.securitySchemes)),
    );
  });

  it('are found by crawlers, programs and readers', async () => {
    const { publicUrl } = world.settings.http;
    const listed = (await world.get('/.well-known/x402')).body.resources;
    const crawled = (await world.get('/openapi.json')).body.paths as Record<string, object>;
    const { links, pricing } = (await world.get('/v1/agent/manifest.json')).body;
    const [guide, llms] = await Promise.all(
      ['/v1/agent/guide.md', '/llms.txt'].map(async (url) => String((await world.get(url)).body)),
    );

    expect(listed).toContain(`${publicUrl}/v1/agent/sample-captions`);
    expect(Object.keys(crawled)).toEqual(expect.arrayContaining(OURS));
    expect(Object.values(crawled).flatMap((item) => Object.keys(item)).length).toBeLessThanOrEqual(40);
    expect(links.extensions).toBe(`${publicUrl}/v1/extensions/openapi.json`);
    expect(pricing.routes).toContainEqual({
      path: '/v1/agent/sample-captions',
      summary: 'The first sentence of a text.',
      price: { min: '0.001', max: '0.003' },
    });
    for (const page of [guide, llms]) expect(page).toContain('POST /v1/agent/sample-captions');
  });

  it('are quoted and called as tools', async () => {
    const { key } = await KeyCaller.register(world, 1_000_000n);
    const caller = await McpCaller.connect(stageOf('x402').url, { 'x-api-key': key });
    const body = { text: 'A red fox in the snow. It looks at us.' };

    const quoted = await caller.call('quote', { path: '/v1/agent/sample-captions', body });
    const made = await caller.call('sample_captions', { ...body, idempotencyKey: 'a caption' });

    const { priceMicro } = quoted.structuredContent as { priceMicro: number };
    expect(made.structuredContent).toMatchObject({ caption: 'A red fox in the snow.' });
    expect(made._meta?.['lamppost/charge']).toMatchObject({ state: 'charged', priceMicro });
    await caller.close();
  });

  it('are offered as tools only to keys that may call them', async () => {
    const { key } = await KeyCaller.register(world, 1_000_000n);
    const made = await world.post(
      '/v1/agent/keys',
      { limitMicro: 1_000, expiresInSeconds: 600, scopes: { routes: ['chat'] } },
      { 'x-api-key': key },
    );
    const toolsOf = async (credential: string): Promise<readonly string[]> => {
      const caller = await McpCaller.connect(stageOf('x402').url, { 'x-api-key': credential });
      const { tools } = await caller.client.listTools();
      await caller.close();
      return tools.map(({ name }) => name);
    };

    expect(await toolsOf(key)).toContain('sample_captions');
    const limited = await toolsOf(made.body.key as string);
    expect(limited).toContain('chat');
    expect(limited).not.toContain('sample_captions');
  });

  describe.each(OURS)('POST %s', (path) => {
    holdRouteToContract(path, stageOf);
  });
});
