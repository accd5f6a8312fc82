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

  it.each(FILES)('stands in the walk-through, word for word: %s', (file) => {
    const source = readFileSync(`test/extending/captions/${file}`, 'utf8').replaceAll(
      "'../../../src/",
      "'../",
    );

    expect(readFileSync('docs/extending.md', 'utf8')).toContain(source);
  });

  describe.each(['/v1/agent/captions', '/v1/agent/captions/strips'])('POST %s', (path) => {
    holdRouteToContract(path, () => world);
  });
});
