import { askOf } from './sample-upscale.dto';

describe('the call of sample upscale', () => {
  it.each([
    [undefined, '2K'],
    ['2x', '2K'],
    ['4x', '4K'],
  ] as const)('asks for the tier that it prices: %s', (scale, resolution) => {
    expect(askOf({ image: 'a picture', scale: scale! })).toMatchObject({
      image: 'a picture',
      resolution,
    });
  });
});
