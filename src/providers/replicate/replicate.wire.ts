import { fieldsOf, itemsOf, textOf } from '../http/answer-status';
import { lastPercentIn } from '../http/last-percent';
import type { BillingState } from '../cancel-waiting';
import type { Sources } from '../http/media-bytes';
import { ProviderFault } from '../http/provider-fault';
import type { MediaMode } from '../media-mode';
import type { MediaRequest, MediaSize, OperationStatus } from '../media-provider';

type Input = Readonly<Record<string, unknown>>;

const filmOf = ({ aspectRatio, resolution, seconds }: MediaRequest): Input => ({
  aspect_ratio: aspectRatio,
  resolution: resolution?.toLowerCase(),
  duration: seconds,
});

/** What each mode is called on the wire. A model with names of its own gets a line here. */
const INPUTS: Readonly<Record<MediaMode, (request: MediaRequest, sources: Sources) => Input>> = {
  t2i: ({ prompt, aspectRatio }) => ({
    prompt,
    aspect_ratio: aspectRatio,
    num_outputs: 1,
    output_format: 'png',
  }),
  i2i: ({ prompt, aspectRatio }, { image }) => ({
    prompt,
    input_image: image,
    aspect_ratio: aspectRatio,
    output_format: 'png',
  }),
  t2v: (request) => ({ prompt: request.prompt, ...filmOf(request), generate_audio: request.audio }),
  i2v: (request, { image }) => ({ prompt: request.prompt, image, ...filmOf(request) }),
  swap: (_request, { image, image2 }) => ({ input_image: image, swap_image: image2 }),
  motion: (request, { image, video }) => ({ prompt: request.prompt, image, video, ...filmOf(request) }),
};

/** Its image models stop at one megapixel. */
export const makesSize = (mode: MediaMode, { resolution }: MediaSize): boolean =>
  mode !== 't2i' || resolution !== '2K';

export const toInput = (request: MediaRequest, sources: Sources): Input => {
  if (!makesSize(request.mode, request)) {
    // Saying no is better than selling less than was asked for.
    throw new ProviderFault('not-served', 'it makes no images of this size');
  }
  return INPUTS[request.mode](request, sources);
};

/** `owner/name` is the newest version of an official model, `owner/name:version` a fixed one of any other. */
export const toSubmission = (
  model: string,
  input: Input,
): { readonly path: string; readonly json: object } => {
  const [name = '', version] = model.split(':');
  return version === undefined
    ? { path: `models/${name}/predictions`, json: { input } }
    : { path: 'predictions', json: { version, input } };
};

export const toProviderRef = (value: unknown): string => {
  const { id } = fieldsOf(value);
  if (typeof id !== 'string' || !/^[a-z0-9]{8,100}$/i.test(id)) {
    throw new ProviderFault('unknown', 'its answer has no id');
  }
  return id;
};

/** An output is an address, a list of them, or an object that names one. */
const addressIn = (output: unknown): string | undefined => {
  const first = Array.isArray(output) ? itemsOf(output)[0] : output;
  const fields = fieldsOf(first);
  return textOf(first) ?? textOf(fields['video']) ?? textOf(fields['image']) ?? textOf(fields['url']);
};

/** A word that we do not know means "still running": only an explicit failure may refund anybody. */
export const toStatus = (value: unknown): OperationStatus => {
  const { status, output, logs } = fieldsOf(value);
  switch (status) {
    case 'succeeded': {
      const url = addressIn(output);
      if (url !== undefined) return { state: 'done', result: { url } };
      const isNothing =
        output === null || output === undefined || (Array.isArray(output) && output.length === 0);
      if (isNothing) return { state: 'failed', reason: 'it made nothing' };
      throw new ProviderFault('unknown', 'its output is nothing that we know');
    }
    case 'failed':
    case 'canceled':
    case 'aborted':
      return { state: 'failed', reason: `it is ${status}` };
    default: {
      const progress = lastPercentIn(textOf(logs) ?? '');
      return progress === undefined ? { state: 'running' } : { state: 'running', progress };
    }
  }
};

/** How a prediction stands before its bill, which begins when it starts: one that never did is over for nothing. */
export const toBillingState = (value: unknown): BillingState => {
  const { status, started_at: startedAt } = fieldsOf(value);
  if (textOf(startedAt) !== undefined) return 'begun';
  if (status === 'starting') return 'waiting';
  return status === 'canceled' || status === 'aborted' ? 'dropped' : 'begun';
};

/** The address of an uploaded file. */
export const toFileUrl = (value: unknown): string => {
  const url = textOf(fieldsOf(fieldsOf(value)['urls'])['get']);
  if (url === undefined) throw new ProviderFault('not-accepted', 'it took no file');
  return url;
};
