import './captions/in-the-list';

import { readFileSync } from 'node:fs';

import { COUNTED, holdRouteToContract, letHandlersFail } from '../contract/route-contract';
import { World } from '../support/world';

const FILES = ['captions.dto.ts', 'captions.pricer.ts', 'captions.controller.ts', 'captions.module.ts'];

describe('a paid route that is one folder and one line', () => {
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

  holdRouteToContract('/v1/agent/captions', () => world);
});
