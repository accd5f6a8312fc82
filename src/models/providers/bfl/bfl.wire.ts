import { ceilDiv, micro } from '#kernel/money';
import { withoutAbsent } from '#kernel/present';
import { fieldsOf, textOf } from '../http/json-fields';
import type { Sources } from '../http/media-bytes';
import { ProviderFault } from '../http/provider-fault';
import { type MediaMode, kindOf } from '../media-mode';
import type { MediaRequest, MediaSize, OperationStatus } from '../media-provider';
import type { OptionalInput } from '../optional-inputs';

/** Width and height of a megapixel, in the steps that the models support. */
const SIDES: Readonly<Record<string, readonly [number, number]>> = {
  '1:1': [1024, 1024],
  '16:9': [1344, 768],
  '9:16': [768, 1344],
  '3:2': [1248, 832],
  '2:3': [832, 1248],
  '4:3': [1152, 864],
  '3:4': [864, 1152],
};

const SIZE = /^(\d{2,4})x(\d{2,4})$/;

export const makesSize = (
  mode: MediaMode,
  { aspectRatio = '1:1', resolution = '1K', imageSize }: MediaSize,
): boolean =>
  kindOf(mode) === 'image' &&
  (imageSize === undefined ? aspectRatio in SIDES : SIZE.test(imageSize)) &&
  (resolution === '1K' || resolution === '2K');

/** Newer models accept sides of any length. Older models accept only a ratio, and make one megapixel. */
const TAKES_SIDES = /^flux-2|^flux-pro-1\.1$|^flux-dev$/;

const shapeOf = (request: MediaRequest): object => {
  const { model, mode, resolution = '1K', imageSize } = request;
  const takesSides = TAKES_SIDES.test(model);
  const aspectRatio = request.aspectRatio ?? (takesSides ? request.usualRatio : undefined) ?? '1:1';
  if (
    !makesSize(mode, { ...request, aspectRatio }) ||
    (!takesSides && (resolution !== '1K' || imageSize !== undefined))
  ) {
    // A refusal is better than a result of another size.
    throw new ProviderFault('not-served', 'it makes no images of this size');
  }
  // Without a ratio, an edited picture has that of its source. Models that take sides would bill its megapixels.
  const isAsSource = mode === 'i2i' && request.aspectRatio === undefined;
  if (!takesSides) return isAsSource ? {} : { aspect_ratio: aspectRatio };
  const [, width, height] = SIZE.exec(imageSize ?? '') ?? [];
  if (width !== undefined) return { width: Number(width), height: Number(height) };
  const times = resolution === '2K' ? 2 : 1;
  const [wide, high] = SIDES[aspectRatio]!;
  return { width: wide * times, height: high * times };
};

/**
 * Models that repaint the white part of a mask. Their requests name the picture `image`, and the result has the size of
 * this picture.
 */
const FILLS = /-fill(?:-finetuned)?$/;
/** Models that edit several pictures. */
const TAKES_SEVERAL = /^flux-2/;

export const takesOptionalInputs = (mode: MediaMode, model: string): readonly OptionalInput[] => [
  'seed',
  ...(mode === 'i2i' && TAKES_SEVERAL.test(model) ? (['sources'] as const) : []),
  ...(mode === 'i2i' && FILLS.test(model) ? (['mask'] as const) : []),
];

/** Images are base64 without the prefix of a data URI. */
export const toInput = (request: MediaRequest, { image, image2, mask, sources = [] }: Sources): object => {
  const { model, prompt, seed } = request;
  if (FILLS.test(model)) return withoutAbsent({ prompt, image, mask, seed, output_format: 'png' });
  const further = Object.fromEntries(sources.map((source, at) => [`input_image_${at + 2}`, source]));
  return withoutAbsent({
    prompt,
    input_image: image,
    input_image_2: image2,
    ...further,
    seed,
    ...shapeOf(request),
    output_format: 'png',
  });
};

const ID = /^[\w-]{1,100}$/;
/** Hosts of the regions. Work stays in the region that accepted it, and the answer names that region's address. */
const REGION = /^api(\.[a-z0-9-]{1,20})?\.bfl\.ai$/;
/** The adapter ignores a larger bill, because a picture costs only some cents. */
const CREDITS_MAX = 10_000;

/** Our name of the work: its id, its host if that is not the host of `base`, and its bill in credits. */
export const toProviderRef = (value: unknown, base: URL): string => {
  const { id, polling_url: polling, cost } = fieldsOf(value);
  if (typeof id !== 'string' || !ID.test(id)) throw new ProviderFault('unknown', 'its answer has no id');
  const credits = typeof cost === 'number' && cost >= 0 && cost <= CREDITS_MAX ? cost.toFixed(4) : '';
  const address = textOf(polling);
  const host = address !== undefined && URL.canParse(address) ? new URL(address).host : base.host;
  // Our key is sent only to the vendor's hosts, whatever an answer contains.
  return [id, host !== base.host && REGION.test(host) ? host : '', credits].join('|');
};

export const readProviderRef = (ref: string) => {
  const [id = '', host = '', credits = ''] = ref.split('|');
  const [whole = '0', part = '0000'] = credits.split('.');
  return {
    id,
    host: host === '' ? undefined : host,
    /** A credit is a cent. */
    cost: credits === '' ? undefined : micro(ceilDiv(BigInt(`${whole}${part}`) * 10_000n, 10_000n)),
  };
};

const FAILED: ReadonlySet<string> = new Set(['Error', 'Request Moderated', 'Content Moderated']);

/** An unknown state means "still running": only an explicit failure may cause a refund. */
export const toStatus = (value: unknown): OperationStatus => {
  const { status, result, progress } = fieldsOf(value);
  const url = textOf(fieldsOf(result)['sample']);
  if (status === 'Ready' && url !== undefined) return { state: 'done', result: { url } };
  if (typeof status === 'string' && FAILED.has(status))
    return { state: 'failed', reason: `it is ${status.toLowerCase()}` };
  return typeof progress === 'number' && progress > 0 && progress <= 1
    ? { state: 'running', progress: Math.min(99, Math.floor(progress * 100)) }
    : { state: 'running' };
};
