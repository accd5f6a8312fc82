import type { Fields } from '#kernel/json';
import { type Micro, ceilDiv, micro } from '#kernel/money';
import { withoutAbsent } from '#kernel/present';
import { fieldsOf, itemsOf, textOf } from '../http/json-fields';
import { ProviderFault, contentRefused } from '../http/provider-fault';
import { type MediaMode, kindOf } from '../media-mode';
import type { MediaRequest, MediaSize, OperationStatus } from '../media-provider';
import type { MadePictures } from '../media/held-result.repository';
import type { OptionalInput } from '../optional-inputs';

const FILM_RATIOS: ReadonlySet<string> = new Set(['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3']);
const PICTURE_RATIOS: ReadonlySet<string> = new Set([
  ...FILM_RATIOS,
  '2:1',
  '1:2',
  '20:9',
  '9:20',
  '19.5:9',
  '9:19.5',
]);
const PICTURE_TIERS: ReadonlySet<string> = new Set(['1K', '2K']);
const FILM_TIERS: ReadonlySet<string> = new Set(['480p', '720p']);
/** Only this generation makes films of 1080p. */
const MAKES_1080P = /^grok-imagine-video-1\.5/;
const SECONDS_MAX = 15;
/** The limit of source pictures in one edit. */
const PICTURES_MAX = 3;

/** The API accepts ratios and tiers, but no size in pixels. An edited picture has the ratio of its first source. */
export const makesSize = (
  mode: MediaMode,
  { aspectRatio, resolution, imageSize }: MediaSize,
  model: string,
): boolean => {
  if (imageSize !== undefined) return false;
  if (kindOf(mode) === 'image') {
    const isRatio = aspectRatio === undefined || (mode === 't2i' && PICTURE_RATIOS.has(aspectRatio));
    return isRatio && PICTURE_TIERS.has(resolution ?? '1K');
  }
  const isTier = FILM_TIERS.has(resolution ?? '720p') || (resolution === '1080p' && MAKES_1080P.test(model));
  return isTier && FILM_RATIOS.has(aspectRatio ?? '16:9');
};

const requireSize = (request: MediaRequest): void => {
  if (makesSize(request.mode, request, request.model)) return;
  // A refusal is better than a result of another size.
  throw new ProviderFault('not-served', 'it makes nothing of this size');
};

/** xAI accepts no seed, no negative prompt, no mask and no last frame. */
export const takesOptionalInputs = (mode: MediaMode): readonly OptionalInput[] => {
  if (mode === 't2i') return ['n'];
  return mode === 'i2i' ? ['sources'] : [];
};

interface Ask {
  readonly path: string;
  readonly json: object;
}

/** One picture and several pictures have separate fields. */
const sourcesIn = (pictures: readonly string[]): object => {
  const images = pictures.map((url) => ({ type: 'image_url', url }));
  return images.length > 1 ? { images } : { image: images[0] };
};

/** Pictures are data URIs. */
export const toPictureAsk = (request: MediaRequest, pictures: readonly string[]): Ask => {
  requireSize(request);
  if (pictures.length > PICTURES_MAX)
    throw new ProviderFault('not-served', 'it edits no more than three pictures');
  const { model, prompt, aspectRatio = '1:1', resolution = '1K', n = 1 } = request;
  const common = { model, prompt, resolution: resolution.toLowerCase(), response_format: 'b64_json' };
  return pictures.length > 0
    ? { path: 'images/edits', json: { ...common, ...sourcesIn(pictures) } }
    : { path: 'images/generations', json: { ...common, n, aspect_ratio: aspectRatio } };
};

/** A tick is a ten-billionth of a USD. */
const TICKS_IN_A_MICRO = 10_000n;
/** The adapter ignores a larger bill, because a film costs only some USD. */
const TICKS_MAX = 1_000_000_000_000;

/** The vendor's bill. Undefined if the answer has none. */
const billIn = (value: unknown): Micro | undefined => {
  const ticks = fieldsOf(fieldsOf(value)['usage'])['cost_in_usd_ticks'];
  return typeof ticks === 'number' && Number.isSafeInteger(ticks) && ticks > 0 && ticks <= TICKS_MAX
    ? micro(ceilDiv(BigInt(ticks), TICKS_IN_A_MICRO))
    : undefined;
};

/** The bytes may follow the prefix of a data URI. */
const bytesIn = (text: string): Buffer => Buffer.from(text.replace(/^data:[^,]{0,100},/, ''), 'base64');

/** Moderation stopped the picture. Its bytes, if there are any, are not those that the caller asked for. */
const isRefused = (item: Fields): boolean => item['respect_moderation'] === false;

/** The pictures of an answer. If there are none, the model refused the content, or the outcome is unknown. */
export const toPictures = (value: unknown): MadePictures => {
  const items = itemsOf(fieldsOf(value)['data']).map(fieldsOf);
  const [refused, kept] = [items.filter(isRefused), items.filter((item) => !isRefused(item))];
  const pictures = kept.flatMap((item) => textOf(item['b64_json']) ?? []).map(bytesIn);
  if (pictures.length > 0) return { pictures, ...withoutAbsent({ cost: billIn(value) }) };
  throw refused.length > 0 ? contentRefused() : new ProviderFault('unknown', 'its answer has no picture');
};

/** The picture is a data URI. Without a ratio, the film has that of the picture. */
export const toFilmAsk = (request: MediaRequest, image?: string): Ask => {
  requireSize(request);
  const { model, prompt, aspectRatio, resolution = '720p', seconds } = request;
  if (seconds !== undefined && seconds > SECONDS_MAX)
    throw new ProviderFault('not-served', 'it makes no films of this length');
  return {
    path: 'videos/generations',
    json: withoutAbsent({
      model,
      prompt,
      image: image === undefined ? undefined : { url: image },
      duration: seconds,
      aspect_ratio: aspectRatio ?? (image === undefined ? '16:9' : undefined),
      resolution,
    }),
  };
};

/** An id may not look like the name of a held picture. */
const REQUEST_ID = /^(?!held_)[\w-]{1,100}$/;

export const toProviderRef = (value: unknown): string => {
  const id = textOf(fieldsOf(value)['request_id']);
  if (id === undefined || !REQUEST_ID.test(id))
    throw new ProviderFault('unknown', 'its answer has no request id');
  return id;
};

/** An unknown state means "still running": only an explicit failure may cause a refund. */
export const toStatus = (value: unknown): OperationStatus => {
  const { status, video, progress } = fieldsOf(value);
  if (status === 'failed' || status === 'expired') return { state: 'failed', reason: `it is ${status}` };
  if (status === 'done') {
    const { url: address, respect_moderation: respects } = fieldsOf(video);
    if (respects === false) return { state: 'failed', reason: 'it refuses the content' };
    const url = textOf(address);
    if (url === undefined) throw new ProviderFault('unknown', 'its answer has no film');
    return { state: 'done', result: { url }, ...withoutAbsent({ cost: billIn(value) }) };
  }
  return typeof progress === 'number' && progress > 0 && progress <= 100
    ? { state: 'running', progress: Math.min(99, Math.floor(progress)) }
    : { state: 'running' };
};
