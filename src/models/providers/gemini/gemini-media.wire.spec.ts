import type { MediaRequest } from '../media-provider';
import { toPictureAsk } from './gemini-media.wire';

const shapeOf = (more: Partial<MediaRequest>) => {
  const request = {
    model: 'gemini-3-pro-image',
    mode: 't2i',
    prompt: 'a hat',
    audio: false,
    ourId: 'job',
    ...more,
  };
  const { json } = toPictureAsk(request as MediaRequest, []);
  return (json as { generationConfig: { imageConfig: object } }).generationConfig.imageConfig;
};

describe('the shape of a picture at Gemini', () => {
  it('is that of the source if an edit names none, and else a square', () => {
    expect(shapeOf({ mode: 'i2i', resolution: '2K' })).toEqual({ imageSize: '2K' });
    expect(shapeOf({ mode: 'i2i', aspectRatio: '3:2' })).toEqual({ aspectRatio: '3:2' });
    expect(shapeOf({})).toEqual({ aspectRatio: '1:1' });
  });
});
