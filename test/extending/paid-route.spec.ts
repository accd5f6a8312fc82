import './captions/in-the-list';

import { readFileSync } from 'node:fs';

import { COUNTED, holdRouteToContract, letHandlersFail } from '../contract/route-contract';
import { World } from '../support/world';

const FILES = [
  'captions.dto.ts',
  'captions.pricer.ts',
  'captions.controller.ts',
  'strips.controller.ts',
  'captions.module.ts',
];

describe('paid routes that are one folder and one line', () => {
  let world: World;

  beforeAll(async () => {
    letHandlersFail();
    world = await World.start(COUNTED);
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  it.each(FILES)('is in the walk-through, word for word: %s', (file) => {
    const source = readFileSync(`test/extending/captions/${file}`, 'utf8').replaceAll(
      "'../../../src/",
      "'../",
    );

    expect(readFileSync('docs/extending.md', 'utf8')).toContain(source);
  });

  it('are published in a document of their own, and take no place of the 40 operations', async () => {
    const [agent, account, extensions] = await Promise.all(
      ['agent', 'account', 'extensions'].map(
        async (name) => (await world.get(`/v1/${name}/openapi.json`)).body,
      ),
    );
    const ours = ['/v1/agent/captions', '/v1/agent/captions/strips'];

    expect(Object.keys(extensions.paths)).toEqual(ours);
    expect(Object.keys({ ...agent.paths, ...account.paths })).not.toEqual(expect.arrayContaining(ours));
    expect(Object.keys(agent.components.schemas)).not.toContain('CaptionsBody');
    expect(Object.keys(extensions.components.schemas)).toContain('CaptionsBody');
    expect(Object.keys(extensions.components.securitySchemes)).toEqual(
      expect.arrayContaining(Object.keys(agent.components.securitySchemes)),
    );
  });

  it('are found by crawlers, programs and readers', async () => {
    const { publicUrl } = world.settings.http;
    const crawled = (await world.get('/.well-known/x402')).body.resources;
    const { links } = (await world.get('/v1/agent/manifest.json')).body;

    expect(crawled).toContain(`${publicUrl}/v1/agent/captions`);
    expect(links.extensions).toBe(`${publicUrl}/v1/extensions/openapi.json`);
  });

  describe.each(['/v1/agent/captions', '/v1/agent/captions/strips'])('POST %s', (path) => {
    holdRouteToContract(path, () => world);
  });
});
