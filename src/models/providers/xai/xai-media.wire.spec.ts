import type { MediaMode } from '../media-mode';
import type { MediaRequest } from '../media-provider';
import images from './fixtures/images.json';
import videos from './fixtures/videos.json';
import { makesSize, toFilmAsk, toPictureAsk, toPictures, toProviderRef, toStatus } from './xai-media.wire';

const REQUEST: MediaRequest = {
  model: 'grok-imagine-image',
  mode: 't2i',
  prompt: 'a fox',
  audio: false,
  ourId: 'job_1',
};
const FILM: MediaRequest = { ...REQUEST, model: 'grok-imagine-video', mode: 't2v', seconds: 5, audio: true };

describe('the pictures of Grok Imagine', () => {
  it('are asked for in the size that is sold', () => {
    expect(toPictureAsk({ ...REQUEST, aspectRatio: '16:9', resolution: '2K', n: 3 }, [])).toEqual({
      path: 'images/generations',
      json: {
        model: 'grok-imagine-image',
        prompt: 'a fox',
        n: 3,
        aspect_ratio: '16:9',
        resolution: '2k',
        response_format: 'b64_json',
      },
    });
    expect(toPictureAsk(REQUEST, []).json).toMatchObject({ aspect_ratio: '1:1', resolution: '1k' });
  });

  it('are edited from one picture or from several, in the ratio of the first one', () => {
    const edit: MediaRequest = { ...REQUEST, mode: 'i2i' };

    expect(toPictureAsk(edit, ['data:1'])).toEqual({
      path: 'images/edits',
      json: {
        model: 'grok-imagine-image',
        prompt: 'a fox',
        image: { type: 'image_url', url: 'data:1' },
        resolution: '1k',
        response_format: 'b64_json',
      },
    });
    expect(toPictureAsk(edit, ['data:1', 'data:2']).json).toMatchObject({
      images: [{ url: 'data:1' }, { url: 'data:2' }],
    });
    expect(() => toPictureAsk(edit, ['1', '2', '3', '4'])).toThrow('no more than three');
    expect(() => toPictureAsk({ ...edit, aspectRatio: '16:9' }, ['data:1'])).toThrow('of this size');
  });

  it('are read with the bill', () => {
    const { pictures, cost } = toPictures(images.made);

    expect(pictures.map((each) => each.toString('latin1', 1, 4))).toEqual(['PNG']);
    expect(cost).toBe(20_000n);
  });

  it('have the same bytes without the prefix of a data URI', () => {
    const [item] = images.made.data;
    const bare = { data: [{ b64_json: item!.b64_json.split(',')[1] }] };

    expect(toPictures(bare)).toEqual({ pictures: toPictures(images.made).pictures });
  });

  it('are not sold if moderation stopped them, whatever their bytes', () => {
    const [item] = images.made.data;
    const stopped = { ...item, respect_moderation: false };

    expect(() => toPictures({ ...images.made, data: [stopped] })).toThrow('refuses the content');
    expect(toPictures({ ...images.made, data: [item, stopped] }).pictures).toHaveLength(1);
  });

  it('are refused in words, and a missing picture is no refusal', () => {
    expect(() => toPictures(images.moderated)).toThrow('refuses the content');
    expect(() => toPictures({ data: [] })).toThrow('no picture');
    expect(() => toPictures({ data: [{ b64_json: '', respect_moderation: true }] })).toThrow('no picture');
    expect(() => toPictures('garbage')).toThrow('no picture');
  });

  it.each([-1, 0, 0.5, '200000000', 1e13, Number.NaN, null, {}])('have no bill of %p ticks', (ticks) => {
    expect(toPictures({ ...images.made, usage: { cost_in_usd_ticks: ticks } }).cost).toBeUndefined();
  });

  it('have a bill that is rounded up', () => {
    expect(toPictures({ ...images.made, usage: { cost_in_usd_ticks: 10_001 } }).cost).toBe(2n);
  });
});

describe('the films of Grok Imagine', () => {
  it('are asked for in the size and length that are sold', () => {
    expect(toFilmAsk({ ...FILM, aspectRatio: '9:16', resolution: '480p' })).toEqual({
      path: 'videos/generations',
      json: {
        model: 'grok-imagine-video',
        prompt: 'a fox',
        duration: 5,
        aspect_ratio: '9:16',
        resolution: '480p',
      },
    });
    expect(toFilmAsk(FILM).json).toMatchObject({ aspect_ratio: '16:9', resolution: '720p' });
    expect(() => toFilmAsk({ ...FILM, seconds: 16 })).toThrow('of this length');
    expect(() => toFilmAsk({ ...FILM, resolution: '4K' })).toThrow('of this size');
  });

  it('begin with a picture, and have its ratio if no other was sold', () => {
    expect(toFilmAsk({ ...FILM, mode: 'i2v' }, 'data:1').json).toEqual({
      model: 'grok-imagine-video',
      prompt: 'a fox',
      image: { url: 'data:1' },
      duration: 5,
      resolution: '720p',
    });
  });

  it.each<[MediaMode, string, string, boolean]>([
    ['t2v', 'grok-imagine-video', '720p', true],
    ['t2v', 'grok-imagine-video', '1080p', false],
    ['i2v', 'grok-imagine-video-1.5', '1080p', true],
    ['i2v', 'grok-imagine-video-1.5', '1440p', false],
    ['t2i', 'grok-imagine-image', '4K', false],
    ['t2i', 'grok-imagine-image', '720p', false],
  ])('and pictures: %s with %s in %s is %p', (mode, model, resolution, isMade) => {
    expect(makesSize(mode, { resolution }, model)).toBe(isMade);
    expect(makesSize(mode, { resolution, imageSize: '1024x1024' }, model)).toBe(false);
    expect(makesSize(mode, { resolution, aspectRatio: '21:9' }, model)).toBe(false);
  });

  it('keep their request id, and nothing that could be another address or a held picture', () => {
    expect(toProviderRef(videos.submitted)).toBe('d97415a1-5796-b7ec-379f-4e6819e08fdf');
    for (const id of ['../models', 'held_0123', '', 7]) {
      expect(() => toProviderRef({ request_id: id })).toThrow('no request id');
    }
  });

  it.each<[unknown, object]>([
    [videos.pending, { state: 'running', progress: 37 }],
    [
      { ...videos.pending, progress: 100 },
      { state: 'running', progress: 99 },
    ],
    [{ ...videos.pending, progress: -1 }, { state: 'running' }],
    [videos.done, { state: 'done', result: { url: 'https://vidgen.x.ai/waves.mp4' }, cost: 350_000n }],
    [
      { ...videos.done, usage: undefined },
      { state: 'done', result: { url: 'https://vidgen.x.ai/waves.mp4' } },
    ],
    [videos.moderated, { state: 'failed', reason: 'it refuses the content' }],
    [videos.failed, { state: 'failed', reason: 'it is failed' }],
    [videos.expired, { state: 'failed', reason: 'it is expired' }],
    [{ status: 'upscaling' }, { state: 'running' }], // A future state must not cause a refund.
    ['garbage', { state: 'running' }],
  ])('are read from %j', (value, expected) => {
    expect(toStatus(value)).toEqual(expected);
  });

  it('do not fail because their address is missing', () => {
    expect(() => toStatus({ status: 'done' })).toThrow('no film');
  });
});
