import type { RouteFixture } from '../../contract/route-fixtures';
import { catalogOf, pictureEntry, textEntry } from '../../support/catalogs';

/** The model of this route. A vendor of your own has its fake here, and its settings below. */
const UPSCALER = pictureEntry('upscaler', ['sandbox:image'], {
  mode: 'i2i',
  aspectRatios: [],
  resolutions: ['2K', '4K'],
  pricing: { unit: 'image', usd: { default: '0.02', '4K': '0.06' } },
});

/** This route in the contract of all paid routes. */
export const FIXTURE: RouteFixture = {
  sold: {
    scale: {
      caller: [
        'test/extending/sample-upscale/sample-upscale.dto.spec.ts',
        'asks for the tier that it prices',
      ],
    },
  },
  start: () => Promise.resolve({ settings: catalogOf([UPSCALER], [textEntry('words', ['sandbox:words'])]) }),
};
