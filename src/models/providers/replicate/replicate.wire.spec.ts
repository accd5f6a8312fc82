import type { MediaRequest } from '../media-provider';
import predictions from './fixtures/predictions.json';
import { toFileUrl, toInput, toProviderRef, toBillingState, toStatus, toSubmission } from './replicate.wire';

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
