import type { MediaRequest } from '../media-provider';
import predictions from './fixtures/predictions.json';
import {
  takesOptionalInputs,
  toBillingState,
  toFileUrl,
  toInput,
  toProviderRef,
  toStatus,
  toSubmission,
} from './replicate.wire';

const REQUEST: MediaRequest = {
  model: 'black-forest-labs/flux-dev',
  mode: 't2i',
  prompt: 'a fox',
  audio: false,
  ourId: 'job_1',
};

describe('the words of the predictions API', () => {
  it('asks for an image', () => {
    expect(toInput({ ...REQUEST, aspectRatio: '3:2', resolution: '1K' }, {})).toEqual({
      prompt: 'a fox',
      aspect_ratio: '3:2',
      num_outputs: 1,
      output_format: 'png',
    });
  });

  it('asks a model of OpenAI for the quality that the book prices', () => {
    expect(toInput({ ...REQUEST, model: 'openai/gpt-image-1.5' }, {})).toMatchObject({ quality: 'medium' });
    expect(
      toInput({ ...REQUEST, mode: 'i2i', model: 'openai/gpt-image-1.5' }, { image: 'data:1' }),
    ).toMatchObject({ input_images: ['data:1'], quality: 'medium' });
  });

  it('does not sell an image that it cannot make', () => {
    expect(() => toInput({ ...REQUEST, resolution: '2K' }, {})).toThrow('no images of this size');
    expect(() => toInput({ ...REQUEST, imageSize: '1024x1024' }, {})).toThrow('no images of this size');
    const ultra = { ...REQUEST, model: 'black-forest-labs/flux-1.1-pro-ultra' };
    expect(() => toInput({ ...ultra, resolution: '1K' }, {})).toThrow('no images of this size');
  });

  // The fields of the schemas that replicate.com published, read on 2026-11-30.
  it.each<[string, Partial<MediaRequest>, object]>([
    ['black-forest-labs/flux-1.1-pro', { resolution: '1K' }, { output_format: 'png' }],
    ['black-forest-labs/flux-1.1-pro-ultra', { resolution: '2K' }, { output_format: 'png' }],
    ['black-forest-labs/flux-kontext-pro', {}, { output_format: 'png' }],
    ['black-forest-labs/flux-kontext-max', {}, { output_format: 'png' }],
    ['ideogram-ai/ideogram-v3-quality', { resolution: '1K' }, {}],
    ['recraft-ai/recraft-v3', { resolution: '1K' }, {}],
    ['bytedance/seedream-4', { resolution: '1K' }, { size: '1K' }],
    ['bytedance/seedream-4', { resolution: '4K' }, { size: '4K' }],
    ['bytedance/seedream-4', {}, {}],
  ])('sends %s only the fields of its schema: %j', (model, options, fields) => {
    expect(toInput({ ...REQUEST, model, aspectRatio: '16:9', ...options }, {})).toEqual({
      prompt: 'a fox',
      aspect_ratio: '16:9',
      ...fields,
    });
  });

  it('edits with seedream in the size that is sold', () => {
    const edit: MediaRequest = { ...REQUEST, mode: 'i2i', model: 'bytedance/seedream-4', resolution: '1K' };

    expect(toInput(edit, { image: 'data:1', sources: ['data:2'] })).toEqual({
      prompt: 'a fox',
      image_input: ['data:1', 'data:2'],
      size: '1K',
    });
  });

  it.each(['recraft-ai/recraft-v3', 'bytedance/seedream-4'])('has no seed for %s', (model) => {
    expect(takesOptionalInputs('t2i', model)).toEqual([]);
    expect(takesOptionalInputs('t2i', 'black-forest-labs/flux-1.1-pro')).toEqual(['seed']);
  });

  it('asks for a film of an image', () => {
    const film: MediaRequest = { ...REQUEST, mode: 'i2v', seconds: 5, resolution: '1080p' };

    expect(toInput(film, { image: 'data:1' })).toEqual({
      prompt: 'a fox',
      image: 'data:1',
      resolution: '1080p',
      duration: 5,
    });
  });

  it.each([
    [predictions.starting, 'waiting'],
    [{ ...predictions.starting, started_at: '2024-04-23T19:36:29.355Z' }, 'begun'],
    [predictions.processing, 'begun'],
    [predictions.succeeded, 'begun'],
    [predictions.failed, 'begun'],
    [predictions.canceled, 'dropped'],
    [{ ...predictions.canceled, started_at: '2024-04-23T19:36:29.355Z' }, 'begun'],
    [{ status: 'a new word' }, 'begun'],
  ])('takes work for begun that may be billed: %j', (prediction, state) => {
    expect(toBillingState(prediction)).toBe(state);
  });

  it('knows official models and fixed versions', () => {
    expect(toSubmission('a/b', {}).path).toBe('models/a/b/predictions');
    expect(toSubmission('a/b:123', {})).toEqual({ path: 'predictions', json: { version: '123', input: {} } });
  });

  it('keeps the id, and nothing that could be another address', () => {
    expect(toProviderRef(predictions.starting)).toBe('gm3qorzdhgbfurvjtvhg6dckhu');
    expect(() => toProviderRef({ id: '../../admin' })).toThrow('no id');
    expect(() => toProviderRef('garbage')).toThrow('no id');
  });

  it.each([
    [predictions.starting, { state: 'running' }],
    [predictions.processing, { state: 'running', progress: 61 }],
    [
      predictions.succeeded,
      { state: 'done', result: { url: 'https://replicate.delivery/yhqm/fox/out-0.png' } },
    ],
    [predictions.failed, { state: 'failed', reason: 'it is failed' }],
    [{ status: 'canceled' }, { state: 'failed', reason: 'it is canceled' }],
    [{ status: 'aborted' }, { state: 'failed', reason: 'it is aborted' }],
    [{ status: 'warming_up_v2' }, { state: 'running' }], // A future state must not cause a refund.
    [{}, { state: 'running' }],
    [
      { status: 'succeeded', output: null },
      { state: 'failed', reason: 'it made nothing' },
    ],
    [
      { status: 'succeeded', output: 'https://x.test/a.mp4' },
      { state: 'done', result: { url: 'https://x.test/a.mp4' } },
    ],
  ])('reads %j', (value, expected) => {
    expect(toStatus(value)).toEqual(expected);
  });

  it('does not take an output that it cannot read for a failure', () => {
    expect(() => toStatus({ status: 'succeeded', output: { mesh: 1 } })).toThrow('nothing that we know');
  });

  it('finds the address of an uploaded file', () => {
    expect(toFileUrl({ urls: { get: 'https://api.replicate.com/v1/files/x' } })).toContain('/files/x');
    expect(() => toFileUrl({})).toThrow('took no file');
  });
});
