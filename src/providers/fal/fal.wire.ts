import { parseUsd } from '../../kernel/money';
import { fieldsOf, itemsOf, textOf } from '../http/answer-status';
import { lastPercentIn } from '../http/last-percent';
import type { BillingState } from '../cancel-waiting';
import type { Sources } from '../http/media-bytes';
import { ProviderFault } from '../http/provider-fault';
import type { MediaMode } from '../media-mode';
import type { MediaRequest, OperationStatus, UnitCost } from '../media-provider';

type Input = Readonly<Record<string, unknown>>;

const LINES_LOOKED_AT = 20;
const LINE_CHARS_LOOKED_AT = 2_000;

const RATIOS: Readonly<Record<string, readonly [number, number]>> = {
  '1:1': [1, 1],
  '16:9': [16, 9],
  '9:16': [9, 16],
  '3:2': [3, 2],
  '2:3': [2, 3],
};

/** The longer edge is the tier's; both are multiples of 16, as the models want them. */
const imageSizeOf = ({ imageSize, resolution, aspectRatio = '1:1' }: MediaRequest): Input => {
  const [, width, height] = /^(\d+)x(\d+)$/.exec(imageSize ?? '') ?? [];
  if (width !== undefined) return { width: Number(width), height: Number(height) };
  const edge = resolution === '2K' ? 2_048 : 1_024;
  const [across, down] = RATIOS[aspectRatio] ?? [1, 1];
  const scaled = (part: number): number => Math.round((edge * part) / Math.max(across, down) / 16) * 16;
  return { width: scaled(across), height: scaled(down) };
};

/** Veo wants its seconds with a unit, the others without. */
const durationOf = ({ model, seconds }: MediaRequest): Input =>
  seconds === undefined ? {} : { duration: /\/veo/.test(model) ? `${seconds}s` : String(seconds) };

/** What each mode is called on the wire. A model with names of its own gets a line here. */
const INPUTS: Readonly<Record<MediaMode, (request: MediaRequest, sources: Sources) => Input>> = {
  t2i: (request) => ({ prompt: request.prompt, image_size: imageSizeOf(request), num_images: 1 }),
  i2i: (request, { image }) => ({ prompt: request.prompt, image_url: image, num_images: 1 }),
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
  }),
  swap: (_request, { image, image2 }) => ({ base_image_url: image, swap_image_url: image2 }),
  motion: (request, { image, video }) => ({
    prompt: request.prompt,
    image_url: image,
    video_url: video,
    resolution: request.resolution?.toLowerCase(),
  }),
};

export const toInput = (request: MediaRequest, sources: Sources): Input =>
  INPUTS[request.mode](request, sources);

const REQUEST_ID = /^[A-Za-z0-9_-]{8,100}$/;
const REQUEST_PATH = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/){2,6}requests\/[A-Za-z0-9_-]{8,100}$/;

/** The part of an address below `base`, or undefined when it leads anywhere else: our key goes nowhere but there. */
const pathBelow = (base: URL, address: unknown): string | undefined => {
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || url.origin !== base.origin || !url.pathname.startsWith(base.pathname)) {
    return undefined;
  }
  const path = url.pathname.slice(base.pathname.length);
  return REQUEST_PATH.test(path) ? path : undefined;
};

/** Where the accepted work is asked for. Addresses drop the end of a model's name, so those of the answer go first. */
export const toProviderRef = (value: unknown, model: string, base: URL): string => {
  const { request_id: id, response_url: address } = fieldsOf(value);
  const path = pathBelow(base, address);
  if (path !== undefined) return path;
  if (typeof id !== 'string' || !REQUEST_ID.test(id)) {
    throw new ProviderFault('unknown', 'its answer has no id');
  }
  return `${model.split('/').slice(0, 2).join('/')}/requests/${id}`;
};

/** The last percentage that the model has logged. */
const progressIn = (logs: unknown): number | undefined => {
  const lines = itemsOf(logs)
    .slice(-LINES_LOOKED_AT)
    .map((line) => (textOf(fieldsOf(line)['message']) ?? '').slice(-LINE_CHARS_LOOKED_AT));
  return lastPercentIn(lines.join('\n'));
};

export type QueueStatus = OperationStatus | { readonly state: 'completed' };

/** A word that we do not know means "still running": only an explicit failure may refund anybody. */
export const toStatus = (value: unknown): QueueStatus => {
  const { status, error, logs } = fieldsOf(value);
  if (status === 'COMPLETED') {
    return textOf(error) === undefined ? { state: 'completed' } : { state: 'failed', reason: 'it says so' };
  }
  const progress = progressIn(logs);
  return progress === undefined ? { state: 'running' } : { state: 'running', progress };
};

/** How a request stands before its bill: who has waited in the queue to the end had no machine and no seconds. */
export const toBillingState = (value: unknown): BillingState => {
  const { status, error, metrics } = fieldsOf(value);
  if (status === 'IN_QUEUE') return 'waiting';
  const ran = fieldsOf(metrics)['inference_time'];
  return status === 'COMPLETED' && textOf(error) !== undefined && ran === undefined ? 'dropped' : 'begun';
};

/** `OK` is said of what was taken out of the queue; a cancellation that was only requested may come too late. */
export const isRemoved = (value: unknown): boolean => fieldsOf(value)['status'] === 'OK';

/** The file of a result. A shape that we do not know is no failure; it throws, and the deadline decides. */
export const toResult = (value: unknown): OperationStatus => {
  const result = fieldsOf(value);
  if (itemsOf(result['has_nsfw_concepts'])[0] === true) {
    return { state: 'failed', reason: 'its safety checker blacked it out' };
  }
  const names = ['video', 'image', 'images'].filter((name) => name in result);
  for (const name of names) {
    const file = name === 'images' ? itemsOf(result[name])[0] : result[name];
    const url = textOf(fieldsOf(file)['url']);
    if (url !== undefined) return { state: 'done', result: { url } };
    if (file === null || file === undefined) return { state: 'failed', reason: 'it made nothing' };
  }
  throw new ProviderFault('unknown', 'its result has no file that we know');
};

/** Its words for the units that we sell by; a price per megapixel or per second of a machine is no price of ours. */
const UNITS: Readonly<Record<string, UnitCost['unit']>> = {
  image: 'image',
  images: 'image',
  second: 'second',
  seconds: 'second',
  video_second: 'second',
  video_seconds: 'second',
};

/** The prices of an answer that can be understood; the others are left to the rate card. */
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
