import { parseUsd } from '#kernel/money';
import { withoutAbsent } from '#kernel/present';
import { fieldsOf, itemsOf, textOf } from '../http/json-fields';
import { lastPercentIn } from '../http/last-percent';
import type { BillingState } from '../cancel-waiting';
import type { Sources } from '../http/media-bytes';
import { ProviderFault } from '../http/provider-fault';
import { type MediaMode, kindOf } from '../media-mode';
import {
  type MediaRequest,
  type MediaResult,
  type MediaSize,
  type OperationStatus,
  type UnitCost,
  doneWith,
} from '../media-provider';
import type { OptionalInput } from '../optional-inputs';

type Input = Readonly<Record<string, unknown>>;

const LINES_READ = 20;
const LINE_CHARS_READ = 2_000;

const RATIOS: Readonly<Record<string, readonly [number, number]>> = {
  '1:1': [1, 1],
  '16:9': [16, 9],
  '9:16': [9, 16],
  '3:2': [3, 2],
  '2:3': [2, 3],
};

const PIXELS = /^(\d+)x(\d+)$/;

/** A drawn picture has a ratio and a tier of ours, or a size in pixels. Other modes pass on each size of the model. */
export const makesSize = (
  mode: MediaMode,
  { imageSize, resolution = '1K', aspectRatio = '1:1' }: MediaSize,
): boolean => {
  if (mode !== 't2i') return true;
  if (imageSize !== undefined) return PIXELS.test(imageSize);
  return aspectRatio in RATIOS && (resolution === '1K' || resolution === '2K');
};

/** Models of OpenAI. Their sizes are texts, and without a quality they make the dearest pictures. */
const GPT_IMAGE = /gpt-image/;

/** The longer edge has the length of the tier. Both edges are multiples of 16, as the models require. */
const imageSizeOf = ({ model, imageSize, resolution, aspectRatio = '1:1' }: MediaRequest): Input | string => {
  if (imageSize !== undefined && GPT_IMAGE.test(model)) return imageSize;
  const [, width, height] = PIXELS.exec(imageSize ?? '') ?? [];
  if (width !== undefined) return { width: Number(width), height: Number(height) };
  const edge = resolution === '2K' ? 2_048 : 1_024;
  const [across, down] = RATIOS[aspectRatio] ?? [1, 1];
  const scaled = (part: number): number => Math.round((edge * part) / Math.max(across, down) / 16) * 16;
  return { width: scaled(across), height: scaled(down) };
};

/** Veo requires seconds with a unit. The other models require seconds without a unit. */
const durationOf = ({ model, seconds }: MediaRequest): Input =>
  seconds === undefined ? {} : { duration: /\/veo/.test(model) ? `${seconds}s` : String(seconds) };

/** Models without sound do not know this field. */
const soundOf = ({ audio }: MediaRequest): Input => (audio ? { generate_audio: true } : {});

/** The fields of each mode. A model with different field names gets a line here. */
const INPUTS: Readonly<Record<MediaMode, (request: MediaRequest, sources: Sources) => Input>> = {
  t2i: (request) => ({
    prompt: request.prompt,
    image_size: imageSizeOf(request),
    num_images: request.n ?? 1,
  }),
  i2i: (request, { image }) => ({ prompt: request.prompt, image_url: image, num_images: request.n ?? 1 }),
  t2v: (request) => ({
    prompt: request.prompt,
    aspect_ratio: request.aspectRatio,
    resolution: request.resolution?.toLowerCase(),
    ...durationOf(request),
    generate_audio: request.audio,
  }),
  i2v: (request, { image }) => ({
    prompt: request.prompt,
    image_url: image,
    aspect_ratio: request.aspectRatio,
    resolution: request.resolution?.toLowerCase(),
    ...durationOf(request),
    ...soundOf(request),
  }),
  swap: (_request, { image, image2 }) => ({ base_image_url: image, swap_image_url: image2 }),
  motion: (request, { image, video }) => ({
    prompt: request.prompt,
    image_url: image,
    video_url: video,
    resolution: request.resolution?.toLowerCase(),
  }),
};

/** Models that edit several pictures, and accept them as one list. */
const TAKES_LIST = /nano-banana|seedream|\/max\/multi$|\/pro\/kontext\/multi$|gpt-image/;
/** Models that repaint the white part of a mask. */
const TAKES_MASK = /inpaint|\/fill$/;
/** Veo has a path for each task. */
const VEO_31 = /^fal-ai\/veo3\.1(?:\/fast|\/lite)?(?:\/image-to-video)?$/;
/** Veo continues a clip by seven seconds of 720p. Its smallest model continues none. */
const EXTENDS = /^fal-ai\/veo3\.1(?:\/fast)?$/;
const EXTENDED = { seconds: 7, resolution: '720p' };
/** FLUX models, and models that only swap or move, accept no negative prompt. */
const TAKES_NEGATIVE = /veo3|kling|wan|stable-diffusion|sdxl|ltx|qwen|pixverse/;
const TAKES_NO_SEED = /kling|face-swap|gpt-image/;
/** Models whose documentation has the parameter `num_images`. */
const TAKES_SEVERAL = /\/flux\/(?:dev|schnell)|flux-lora|stable-diffusion|nano-banana|seedream|gpt-image/;

/** The optional inputs that a model of fal accepts under documented names. */
export const takesOptionalInputs = (mode: MediaMode, model: string): readonly OptionalInput[] => [
  ...(TAKES_NO_SEED.test(model) || mode === 'swap' ? [] : (['seed'] as const)),
  ...(TAKES_NEGATIVE.test(model) && mode !== 'swap' ? (['negativePrompt'] as const) : []),
  ...(mode === 'i2i' && TAKES_LIST.test(model) ? (['sources'] as const) : []),
  ...(mode === 'i2i' && TAKES_MASK.test(model) ? (['mask'] as const) : []),
  ...(kindOf(mode) === 'image' && mode !== 'swap' && TAKES_SEVERAL.test(model) ? (['n'] as const) : []),
  ...(mode === 'i2v' && VEO_31.test(model) ? (['lastFrame'] as const) : []),
  ...(mode === 't2v' && EXTENDS.test(model) ? (['extend'] as const) : []),
];

const KLING_STANDARD = /^(fal-ai\/kling-video\/[^/]+)\/standard\//;

/** The path of a task. A film between two pictures, and the continuation of a clip, have separate paths. */
export const toPath = ({ model: named, resolution, lastFrame, extend }: MediaRequest): string => {
  // Kling's standard makes films of 720p.
  const model = resolution === '1080p' ? named.replace(KLING_STANDARD, '$1/pro/') : named;
  const base = model.replace(/\/image-to-video$/, '');
  if (lastFrame !== undefined) return `${base}/first-last-frame-to-video`;
  return extend === undefined ? model : `${base}/extend-video`;
};

/** A list of pictures replaces the single picture. For a last frame, a pair of frames replaces it. */
const optionalInputsOf = (
  { model, mode, seed, negativePrompt, quality = 'medium' }: MediaRequest,
  sources: Sources,
): Input => {
  const { image, sources: further = [], mask, lastFrame, extend } = sources;
  return {
    ...withoutAbsent({ seed, negative_prompt: negativePrompt, mask_url: mask, video_url: extend }),
    ...(GPT_IMAGE.test(model) ? { quality } : {}),
    ...(mode === 'i2i' && TAKES_LIST.test(model)
      ? { image_url: undefined, image_urls: [image, ...further] }
      : {}),
    ...(lastFrame === undefined
      ? {}
      : { image_url: undefined, first_frame_url: image, last_frame_url: lastFrame }),
  };
};

export const toInput = (request: MediaRequest, sources: Sources): Input => {
  if (!makesSize(request.mode, request)) {
    // A refusal is better than a result of another size.
    throw new ProviderFault('not-served', 'it makes no images of this size');
  }
  const { extend, seconds = EXTENDED.seconds, resolution = EXTENDED.resolution } = request;
  if (extend !== undefined && (seconds !== EXTENDED.seconds || resolution !== EXTENDED.resolution)) {
    // fal would make seven seconds of 720p, and bill them.
    throw new ProviderFault('not-served', 'it continues no clip by such a film');
  }
  return { ...INPUTS[request.mode](request, sources), ...optionalInputsOf(request, sources) };
};

const REQUEST_ID = /^[A-Za-z0-9_-]{8,100}$/;
const REQUEST_PATH = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/){2,6}requests\/[A-Za-z0-9_-]{8,100}$/;

/**
 * The part of an address below `base`; undefined for any other address, because our key may be sent to no other host.
 */
const pathBelow = (base: URL, address: unknown): string | undefined => {
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || url.origin !== base.origin || !url.pathname.startsWith(base.pathname))
    return undefined;
  const path = url.pathname.slice(base.pathname.length);
  return REQUEST_PATH.test(path) ? path : undefined;
};

/**
 * The path for polls of accepted work. fal shortens the model's name in this path, so the address in the answer has
 * priority.
 */
export const toProviderRef = (value: unknown, model: string, base: URL): string => {
  const { request_id: id, response_url: address } = fieldsOf(value);
  const path = pathBelow(base, address);
  if (path !== undefined) return path;
  if (typeof id !== 'string' || !REQUEST_ID.test(id))
    throw new ProviderFault('unknown', 'its answer has no id');
  return `${model.split('/').slice(0, 2).join('/')}/requests/${id}`;
};

/** The last percentage that the model has logged. */
const progressIn = (logs: unknown): number | undefined => {
  const lines = itemsOf(logs)
    .slice(-LINES_READ)
    .map((line) => (textOf(fieldsOf(line)['message']) ?? '').slice(-LINE_CHARS_READ));
  return lastPercentIn(lines.join('\n'));
};

export type QueueStatus = OperationStatus | { readonly state: 'completed' };

/** An unknown state means "still running": only an explicit failure may cause a refund. */
export const toStatus = (value: unknown): QueueStatus => {
  const { status, error, logs } = fieldsOf(value);
  if (status === 'COMPLETED')
    return textOf(error) === undefined ? { state: 'completed' } : { state: 'failed', reason: 'it says so' };
  const progress = progressIn(logs);
  return progress === undefined ? { state: 'running' } : { state: 'running', progress };
};

/** The billing state of a request. fal bills no seconds for a request that ended in the queue. */
export const toBillingState = (value: unknown): BillingState => {
  const { status, error, metrics } = fieldsOf(value);
  if (status === 'IN_QUEUE') return 'waiting';
  const ran = fieldsOf(metrics)['inference_time'];
  return status === 'COMPLETED' && textOf(error) !== undefined && ran === undefined ? 'dropped' : 'begun';
};

/** `OK` means that fal removed the request from the queue. Otherwise the cancellation may come too late. */
export const isRemoved = (value: unknown): boolean => fieldsOf(value)['status'] === 'OK';

const toFile = (address: unknown): readonly MediaResult[] => {
  const url = textOf(address);
  return url === undefined ? [] : [{ url }];
};

/** The files of a result. An unknown shape is no failure: this function throws, and the deadline decides the job. */
export const toResult = (value: unknown): OperationStatus => {
  const result = fieldsOf(value);
  if (itemsOf(result['has_nsfw_concepts']).includes(true))
    return { state: 'failed', reason: 'its safety checker blacked it out' };
  const names = ['video', 'image', 'images'].filter((name) => name in result);
  for (const name of names) {
    const files = name === 'images' ? itemsOf(result[name]) : [result[name]];
    const done = doneWith(files.flatMap((file) => toFile(fieldsOf(file)['url'])));
    if (done !== undefined) return done;
    const [file] = files;
    if (file === null || file === undefined) return { state: 'failed', reason: 'it made nothing' };
  }
  throw new ProviderFault('unknown', 'its result has no file that we know');
};

/** fal's names of our units. A price per megapixel or per second of a machine has no unit of ours. */
const UNITS: Readonly<Record<string, UnitCost['unit']>> = {
  image: 'image',
  images: 'image',
  second: 'second',
  seconds: 'second',
  video_second: 'second',
  video_seconds: 'second',
};

/** The prices that have one of our units and are in USD. For other models, the rate card applies. */
export const toUnitCosts = (value: unknown): ReadonlyMap<string, UnitCost> => {
  const costs = new Map<string, UnitCost>();
  for (const item of itemsOf(fieldsOf(value)['prices'])) {
    const { endpoint_id: model, unit_price: price, unit: word, currency } = fieldsOf(item);
    const unit = UNITS[textOf(word) ?? ''];
    const cost = typeof price === 'number' && price > 0 ? parseUsd(price.toFixed(6)) : undefined;
    if (
      typeof model === 'string' &&
      unit !== undefined &&
      currency === 'USD' &&
      cost !== undefined &&
      cost > 0n
    ) {
      costs.set(model, { unit, cost });
    }
  }
  return costs;
};
