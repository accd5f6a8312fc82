import { withoutAbsent } from '#kernel/present';
import { type Refusal, fieldsOf, itemsOf, textOf } from '../http/answer-status';
import type { Sources } from '../http/media-bytes';
import { type FaultOutcome, ProviderFault } from '../http/provider-fault';
import type { MediaMode } from '../media-mode';
import type { MediaRequest, MediaSize, OperationStatus } from '../media-provider';
import type { Wish } from '../wishes';

const RATIOS: Readonly<Record<string, string>> = {
  '720p 16:9': '1280:720',
  '720p 9:16': '720:1280',
  '720p 4:3': '1104:832',
  '720p 3:4': '832:1104',
  '720p 1:1': '960:960',
  '720p 21:9': '1584:672',
  '1080p 16:9': '1920:1080',
  '1080p 9:16': '1080:1920',
};

const ratioOf = ({ resolution = '720p', aspectRatio = '16:9' }: MediaSize): string | undefined =>
  RATIOS[`${resolution} ${aspectRatio}`];

export const makesSize = (_mode: MediaMode, size: MediaSize): boolean => ratioOf(size) !== undefined;

/** Only one model takes a last frame. */
const TAKES_LAST_FRAME = /^gen3a_turbo$/;
/** Veo at Runway takes no seed. */
const TAKES_SEED = /^gen/;

export const takesWishes = (mode: MediaMode, model: string): readonly Wish[] => [
  ...(TAKES_SEED.test(model) ? (['seed'] as const) : []),
  ...(mode === 'i2v' && TAKES_LAST_FRAME.test(model) ? (['lastFrame'] as const) : []),
];

/** The limit for an image inside the request. */
const IMAGE_BYTES_MAX = 3_300_000;

const framesOf = (first: string | undefined, last: string): readonly object[] => [
  { uri: first, position: 'first' },
  { uri: last, position: 'last' },
];

export const toSubmission = (
  request: MediaRequest,
  { image, lastFrame }: Sources,
): { readonly path: string; readonly json: object } => {
  const ratio = ratioOf(request);
  if (ratio === undefined) {
    // A refusal is better than a result of another size.
    throw new ProviderFault('not-served', 'it makes no films of this size');
  }
  if (Math.max(request.image?.bytes ?? 0, request.lastFrame?.bytes ?? 0) > IMAGE_BYTES_MAX)
    throw new ProviderFault('not-served', 'it takes no image of this length');
  const { model, mode, prompt, seconds, audio, seed } = request;
  return {
    path: mode === 'i2v' ? 'image_to_video' : 'text_to_video',
    json: withoutAbsent({
      model,
      promptText: prompt,
      promptImage: lastFrame === undefined ? image : framesOf(image, lastFrame),
      ratio,
      duration: seconds,
      seed,
      // Models without sound do not know this field.
      audio: audio ? true : undefined,
    }),
  };
};

export const toProviderRef = (value: unknown): string => {
  const { id } = fieldsOf(value);
  if (typeof id !== 'string' || !/^[\w-]{1,100}$/.test(id))
    throw new ProviderFault('unknown', 'its answer has no id');
  return id;
};

/** An unknown state means "still running": only an explicit failure may cause a refund. */
export const toStatus = (value: unknown): OperationStatus => {
  const { status, output, progress } = fieldsOf(value);
  const url = textOf(itemsOf(output)[0]);
  if (status === 'SUCCEEDED' && url !== undefined) return { state: 'done', result: { url } };
  if (status === 'FAILED' || status === 'CANCELLED')
    return { state: 'failed', reason: `it is ${status.toLowerCase()}` };
  return typeof progress === 'number' && progress > 0 && progress <= 1
    ? { state: 'running', progress: Math.min(99, Math.floor(progress * 100)) }
    : { state: 'running' };
};

/** Runway reports an empty account as 400, like a caller's mistake. */
export const judge = ({ message }: Refusal): FaultOutcome | undefined =>
  /^you do not have enough credits\b/i.test(message) ? 'empty-account' : undefined;
