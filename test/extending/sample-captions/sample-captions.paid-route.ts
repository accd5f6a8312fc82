import type { RouteFixture } from '../../contract/route-fixtures';

/** This route in the contract of all paid routes. */
export const FIXTURE: RouteFixture = {
  sold: {
    characters: {
      caller: ['test/extending/sample-captions/sample-captions.pricer.spec.ts', 'grows with the text'],
    },
  },
};
