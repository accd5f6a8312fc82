import type { MediaRequest } from '../media-provider';
import { toInput } from './bfl.wire';

const request = (more: Partial<MediaRequest>): MediaRequest => ({
  model: 'flux-kontext-pro',
  mode: 'i2i',
  prompt: 'a hat',
  audio: false,
  ourId: 'job_of_a_test',
  ...more,
});

describe('the shape of a picture at Black Forest Labs', () => {
  it('is that of the source if an edit names none', () => {
    expect(toInput(request({ usualRatio: '21:9' }), { image: 'bytes' })).toEqual({
      prompt: 'a hat',
      input_image: 'bytes',
      output_format: 'png',
    });
  });

  it('is the one that the call names, and a square for a picture from words', () => {
    expect(toInput(request({ aspectRatio: '16:9' }), { image: 'bytes' })).toMatchObject({
      aspect_ratio: '16:9',
    });
    expect(toInput(request({ mode: 't2i' }), {})).toMatchObject({ aspect_ratio: '1:1' });
    // It bills megapixels, and a source may have many.
    expect(toInput(request({ model: 'flux-2-pro' }), { image: 'bytes' })).toMatchObject({
      width: 1_024,
      height: 1_024,
    });
    expect(toInput(request({ model: 'flux-2-pro', usualRatio: '16:9' }), { image: 'bytes' })).toMatchObject({
      width: 1_344,
      height: 768,
    });
    expect(toInput(request({ mode: 't2i', model: 'flux-2-pro' }), {})).toMatchObject({
      width: 1_024,
      height: 1_024,
    });
  });
});
