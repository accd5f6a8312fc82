import type { MediaRequest } from '../media-provider';
import { toFilmAsk, toPictureAsk } from './gemini-media.wire';

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
    expect(shapeOf({ mode: 'i2i', usualRatio: '21:9' })).toEqual({});
    expect(shapeOf({})).toEqual({ aspectRatio: '1:1' });
  });

  it('is the first of the model for a film from a picture that names none', () => {
    const film: MediaRequest = { model: 'veo-3.1', mode: 'i2v', prompt: 'a hat', audio: true, ourId: 'job' };
    const ratioOf = (more: Partial<MediaRequest>) =>
      (toFilmAsk({ ...film, ...more }).json as { parameters: { aspectRatio: string } }).parameters
        .aspectRatio;
    expect(ratioOf({ usualRatio: '9:16' })).toBe('9:16');
    expect(ratioOf({ usualRatio: '9:16', aspectRatio: '16:9' })).toBe('16:9');
    expect(ratioOf({})).toBe('16:9');
    expect(() => ratioOf({ usualRatio: '1:1' })).toThrow('nothing of this size');
  });
});
