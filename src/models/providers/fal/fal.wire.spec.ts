import type { MediaRequest } from '../media-provider';
import {
  isRemoved,
  takesOptionalInputs,
  toInput,
  toPath,
  toProviderRef,
  toResult,
  toBillingState,
  toStatus,
} from './fal.wire';
import results from './fixtures/results.json';
import statuses from './fixtures/statuses.json';
import submitted from './fixtures/submitted.json';

const BASE = new URL('https://queue.fal.run/');
const ID = submitted.request_id;
const REQUEST: MediaRequest = {
  model: 'fal-ai/flux/dev',
  mode: 't2i',
  prompt: 'a fox',
  audio: false,
  ourId: 'job_1',
};

describe('the words of the fal queue', () => {
  it.each([
    [{ aspectRatio: '16:9', resolution: '1K' }, { image_size: { width: 1_024, height: 576 } }],
    [{ aspectRatio: '2:3', resolution: '2K' }, { image_size: { width: 1_360, height: 2_048 } }],
    [{ imageSize: '1536x1024' }, { image_size: { width: 1_536, height: 1_024 } }],
  ])('asks for an image of %j', (options, expected) => {
    expect(toInput({ ...REQUEST, ...options }, {})).toMatchObject({ prompt: 'a fox', ...expected });
  });

  it('asks a model of OpenAI for the quality that the book prices', () => {
    const model = 'fal-ai/gpt-image-1.5';

    expect(toInput({ ...REQUEST, model, imageSize: '1536x1024' }, {})).toEqual({
      prompt: 'a fox',
      image_size: '1536x1024',
      num_images: 1,
      quality: 'medium',
    });
    expect(toInput({ ...REQUEST, mode: 'i2i', model: `${model}/edit` }, { image: 'data:1' })).toMatchObject({
      image_urls: ['data:1'],
      quality: 'medium',
    });
  });

  it.each([
    ['720p', 'fal-ai/kling-video/v2.1/standard/image-to-video'],
    ['1080p', 'fal-ai/kling-video/v2.1/pro/image-to-video'],
  ])('asks the path of Kling that makes %s', (resolution, path) => {
    const model = 'fal-ai/kling-video/v2.1/standard/image-to-video';

    expect(toPath({ ...REQUEST, mode: 'i2v', model, resolution })).toBe(path);
  });

  it('says seconds as each family of models wants them', () => {
    const film: MediaRequest = { ...REQUEST, mode: 't2v', seconds: 8, resolution: '4K', audio: true };

    expect(toInput({ ...film, model: 'fal-ai/veo3/fast' }, {})).toMatchObject({
      duration: '8s',
      resolution: '4k',
      generate_audio: true,
    });
    expect(toInput({ ...film, mode: 'i2v' }, { image: 'data:x' })).toMatchObject({
      duration: '8',
      image_url: 'data:x',
    });
  });

  it('continues a clip only by what fal makes and bills', () => {
    const extend = { kind: 'video', mime: 'video/mp4', bytes: 1 } as MediaRequest['extend'];
    const film: MediaRequest = { ...REQUEST, mode: 't2v', model: 'fal-ai/veo3.1/fast', extend };
    const inputOf = (more: object) => (): unknown => toInput({ ...film, ...more }, { extend: 'data:1' });

    expect(inputOf({ seconds: 7, resolution: '720p' })()).toMatchObject({
      video_url: 'data:1',
      duration: '7s',
    });
    expect(inputOf({ seconds: 4, resolution: '720p' })).toThrow('it continues no clip by such a film');
    expect(inputOf({ seconds: 7, resolution: '1080p' })).toThrow('it continues no clip by such a film');
    expect(takesOptionalInputs('t2v', 'fal-ai/veo3.1/fast')).toContain('extend');
    expect(takesOptionalInputs('t2v', 'fal-ai/veo3.1/lite')).not.toContain('extend');
  });

  it('hands over the media of a swap and of a motion', () => {
    const sources = { image: 'data:1', image2: 'data:2', video: 'data:3' };

    expect(toInput({ ...REQUEST, mode: 'swap' }, sources)).toEqual({
      base_image_url: 'data:1',
      swap_image_url: 'data:2',
    });
    expect(toInput({ ...REQUEST, mode: 'motion' }, sources)).toMatchObject({
      image_url: 'data:1',
      video_url: 'data:3',
    });
  });

  it.each([
    [statuses.queued, 'waiting'],
    [statuses.running, 'begun'],
    [statuses.completed, 'begun'],
    [statuses.failed, 'begun'],
    [statuses.cancelled, 'dropped'],
    [{ status: 'A_NEW_WORD' }, 'begun'],
    [null, 'begun'],
  ])('takes work for begun that may be billed: %j', (status, state) => {
    expect(toBillingState(status)).toBe(state);
  });

  it('believes only that something was taken out of the queue', () => {
    expect(isRemoved({ status: 'OK' })).toBe(true);
    expect(isRemoved({ status: 'CANCELLATION_REQUESTED' })).toBe(false);
    expect(isRemoved(null)).toBe(false);
  });

  it('keeps the address of the answer', () => {
    expect(toProviderRef(submitted, 'fal-ai/flux/dev', BASE)).toBe(`fal-ai/flux/requests/${ID}`);
  });

  it.each([
    `https://evil.test/fal-ai/flux/requests/${ID}`,
    `http://queue.fal.run/fal-ai/flux/requests/${ID}`,
    `https://queue.fal.run/fal-ai/flux/requests/${ID}/../../../../admin`,
    `https://queue.fal.run@evil.test/fal-ai/flux/requests/${ID}`,
    17,
    undefined,
  ])('never follows an address elsewhere: %s', (address) => {
    expect(toProviderRef({ request_id: ID, response_url: address }, 'fal-ai/flux/dev', BASE)).toBe(
      `fal-ai/flux/requests/${ID}`,
    );
  });

  it.each([[{}], [{ request_id: '../x' }], [{ request_id: 7 }], ['text'], [null]])(
    'does not know what became of a submission answered with %j',
    (answer) => {
      expect(() => toProviderRef(answer, 'fal-ai/flux/dev', BASE)).toThrow('no id');
    },
  );

  it.each([
    [statuses.queued, { state: 'running' }],
    [statuses.running, { state: 'running', progress: 43 }],
    [statuses.completed, { state: 'completed' }],
    [{ status: 'WARMING_UP' }, { state: 'running' }], // A future state must not cause a refund.
    [{}, { state: 'running' }],
  ])('reads %j', (value, expected) => {
    expect(toStatus(value)).toEqual(expected);
  });

  it('believes an explicit failure', () => {
    expect(toStatus(statuses.failed)).toMatchObject({ state: 'failed' });
  });

  it('finds the file of a result', () => {
    expect(toResult(results.image)).toEqual({
      state: 'done',
      result: { url: 'https://v3.fal.media/files/monkey/fox.png' },
    });
    expect(toResult(results.video)).toMatchObject({ state: 'done' });
    expect(toResult({ image: { url: 'https://x.test/a.png' } })).toMatchObject({ state: 'done' });
  });

  it('fails only what was explicitly made of nothing', () => {
    expect(toResult({ images: [] })).toMatchObject({ state: 'failed' });
    expect(toResult({ ...results.image, has_nsfw_concepts: [true] })).toMatchObject({ state: 'failed' });
    expect(() => toResult({ output: 'something new' })).toThrow('no file that we know');
    expect(() => toResult('<html>')).toThrow('no file that we know');
  });
});
