import type { MediaRequest } from '../media-provider';
import images from './fixtures/images.json';
import video from './fixtures/video.json';
import { toImageFields, toPictures, toStatus, toTokens, toVideoFields, toVideoId } from './openai-media.wire';

const REQUEST: MediaRequest = {
  model: 'gpt-image-1',
  mode: 't2i',
  prompt: 'a fox',
  audio: false,
  ourId: 'job_1',
};
const FILM: MediaRequest = { ...REQUEST, model: 'sora-2-pro', mode: 't2v', seconds: 8 };

describe('the words of the images and videos API', () => {
  it('asks for an image in the size that is sold', () => {
    expect(toImageFields({ ...REQUEST, imageSize: '1536x1024', aspectRatio: '1:1' }).size).toBe('1536x1024');
    expect(toImageFields({ ...REQUEST, aspectRatio: '2:3' }).size).toBe('1024x1536');
    expect(toImageFields(REQUEST)).not.toHaveProperty('response_format');
    expect(toImageFields({ ...REQUEST, model: 'dall-e-3' })).toHaveProperty('response_format');
  });

  it.each(['gpt-image-1', 'gpt-image-1.5-2025-12-16', 'chatgpt-image-latest', 'azure/gpt-image-1'])(
    'asks %s for the quality that is sold',
    (model) => {
      expect(toImageFields({ ...REQUEST, model }).quality).toBe('medium');
    },
  );

  it('reads the picture out of a recorded answer', () => {
    expect(toPictures(images).map((each) => each.toString('latin1', 1, 4))).toEqual(['PNG']);
    expect(() => toPictures({ data: [] })).toThrow('no picture');
    expect(() => toPictures('garbage')).toThrow('no picture');
  });

  it.each<[string, unknown, unknown]>([
    ['a recorded answer', images.usage, { promptTokens: 50, completionTokens: 50, inputImageTokens: 40 }],
    ['counts alone', { input_tokens: 9, output_tokens: 8 }, { promptTokens: 9, completionTokens: 8 }],
    ['no counts', undefined, undefined],
    ['no result', { input_tokens: 9, output_tokens: 0 }, undefined],
    ['a negative count', { input_tokens: -9, output_tokens: 8 }, undefined],
    ['a text', { input_tokens: '9', output_tokens: 8 }, undefined],
    ['a fraction', { input_tokens: 9.5, output_tokens: 8 }, undefined],
  ])('reads the counts of tokens: %s', (_name, usage, tokens) => {
    expect(toTokens({ ...images, usage })).toEqual(tokens);
  });

  it('asks for a film, and refuses sizes that it cannot make', () => {
    expect(toVideoFields({ ...FILM, resolution: '1080p', aspectRatio: '9:16' })).toEqual({
      model: 'sora-2-pro',
      prompt: 'a fox',
      size: '1024x1792',
      seconds: '8',
    });
    expect(() => toVideoFields({ ...FILM, resolution: '4K' })).toThrow('no films of this size');
  });

  it('keeps the id, and nothing that could be another address', () => {
    expect(toVideoId(video)).toBe('video_123');
    expect(() => toVideoId({ id: '../x' })).toThrow('no id');
  });

  it.each([
    [video, { state: 'running' }],
    [
      { ...video, status: 'in_progress', progress: 33 },
      { state: 'running', progress: 33 },
    ],
    [{ ...video, status: 'completed', progress: 100 }, { state: 'completed' }],
    [
      { ...video, status: 'failed' },
      { state: 'failed', reason: 'it says so' },
    ],
    [{ status: 'upscaling' }, { state: 'running' }], // A future state must not cause a refund.
    ['garbage', { state: 'running' }],
  ])('reads %j', (value, expected) => {
    expect(toStatus(value)).toEqual(expected);
  });
});
