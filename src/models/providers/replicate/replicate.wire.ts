import { withoutAbsent } from '#kernel/present';
import { fieldsOf, itemsOf, textOf } from '../http/json-fields';
import { lastPercentIn } from '../http/last-percent';
import type { BillingState } from '../cancel-waiting';
import type { Sources } from '../http/media-bytes';
import { ProviderFault } from '../http/provider-fault';
import type { MediaMode } from '../media-mode';
import { type MediaRequest, type MediaSize, type OperationStatus, doneWith } from '../media-provider';
import type { OptionalInput } from '../optional-inputs';

type Input = Readonly<Record<string, unknown>>;

const filmOf = ({ aspectRatio, resolution, seconds }: MediaRequest): Input => ({
  aspect_ratio: aspectRatio,
  resolution: resolution?.toLowerCase(),
  duration: seconds,
});

/** Models whose schema has `num_outputs`. */
const TAKES_SEVERAL = /flux-(?:dev|schnell)|stable-diffusion-3|sdxl/;
/** Models whose schema has no `output_format`. */
const TAKES_NO_FORMAT = /seedream|recraft|ideogram/;
/** Models whose schema has `size`. Without it, they make 2K. */
const TAKES_SIZE = /seedream-4(?!\.)/;
const SIZES: ReadonlySet<string> = new Set(['1K', '2K', '4K']);

const formOf = ({ model, resolution = '' }: MediaRequest): Input => ({
  ...(TAKES_NO_FORMAT.test(model) ? {} : { output_format: 'png' }),
  ...(TAKES_SIZE.test(model) && SIZES.has(resolution) ? { size: resolution } : {}),
});

/** The fields of each mode. A model with different field names gets a line here. */
const INPUTS: Readonly<Record<MediaMode, (request: MediaRequest, sources: Sources) => Input>> = {
  t2i: (request) => ({
    prompt: request.prompt,
    aspect_ratio: request.aspectRatio,
    ...(TAKES_SEVERAL.test(request.model) ? { num_outputs: request.n ?? 1 } : {}),
    ...formOf(request),
  }),
  i2i: (request, { image }) => ({
    prompt: request.prompt,
    input_image: image,
    aspect_ratio: request.aspectRatio,
    ...formOf(request),
  }),
  t2v: (request) => ({ prompt: request.prompt, ...filmOf(request), generate_audio: request.audio }),
  i2v: (request, { image }) => ({
    prompt: request.prompt,
    image,
    ...filmOf(request),
    // Models without sound do not know this field.
    ...(request.audio ? { generate_audio: true } : {}),
  }),
  swap: (_request, { image, image2 }) => ({ input_image: image, swap_image: image2 }),
  motion: (request, { image, video }) => ({ prompt: request.prompt, image, video, ...filmOf(request) }),
};

/** Models that accept all pictures as one list, with the name of that list. */
const LISTS: readonly (readonly [RegExp, string])[] = [
  [/nano-banana|seedream-4/, 'image_input'],
  [/gpt-image/, 'input_images'],
];
const listOf = (model: string): string | undefined => LISTS.find(([models]) => models.test(model))?.[1];
const TAKES_MASK = /flux-fill/;
const TAKES_LAST_FRAME = /google\/veo-3\.1/;
const TAKES_NEGATIVE = /veo-|kling|wan|stable-diffusion|sdxl|ltx|qwen/;
const TAKES_NO_SEED = /nano-banana|gpt-image|kling|face-swap|seedream|recraft/;

/** The optional inputs that a model accepts under names in its published schema. */
export const takesOptionalInputs = (mode: MediaMode, model: string): readonly OptionalInput[] => [
  ...(TAKES_NO_SEED.test(model) || mode === 'swap' ? [] : (['seed'] as const)),
  ...(TAKES_NEGATIVE.test(model) && mode !== 'swap' ? (['negativePrompt'] as const) : []),
  ...(mode === 'i2i' && listOf(model) !== undefined ? (['sources'] as const) : []),
  ...(mode === 'i2i' && TAKES_MASK.test(model) ? (['mask'] as const) : []),
  ...(mode === 't2i' && TAKES_SEVERAL.test(model) ? (['n'] as const) : []),
  ...(mode === 'i2v' && TAKES_LAST_FRAME.test(model) ? (['lastFrame'] as const) : []),
];

const optionalInputsOf = (
  { model, mode, seed, negativePrompt, quality = 'medium' }: MediaRequest,
  sources: Sources,
): Input => {
  const { image, sources: further = [], mask, lastFrame } = sources;
  const list = mode === 'i2i' ? listOf(model) : undefined;
  return {
    ...withoutAbsent({ seed, negative_prompt: negativePrompt, last_frame: lastFrame }),
    // Without a quality, models of OpenAI may make the dearest pictures.
    ...(/gpt-image/.test(model) ? { quality } : {}),
    ...(list === undefined ? {} : { input_image: undefined, [list]: [image, ...further] }),
    // A model that fills a mask has the picture in the field `image`.
    ...(mask === undefined ? {} : { input_image: undefined, image, mask }),
  };
};

const MEGAPIXEL: ReadonlySet<string> = new Set(['1K']);
/** The tiers of models that make more than a megapixel. */
const TIERS: readonly (readonly [RegExp, ReadonlySet<string>])[] = [
  [/flux-1\.1-pro-ultra/, new Set(['2K'])],
  [TAKES_SIZE, SIZES],
];
const tiersOf = (model: string): ReadonlySet<string> =>
  TIERS.find(([models]) => models.test(model))?.[1] ?? MEGAPIXEL;

/** Models accept a ratio and at most a tier, but no size in pixels. An edited picture has the size of its source. */
export const makesSize = (mode: MediaMode, { resolution, imageSize }: MediaSize, model: string): boolean =>
  mode !== 't2i' || (imageSize === undefined && (resolution === undefined || tiersOf(model).has(resolution)));

export const toInput = (request: MediaRequest, sources: Sources): Input => {
  if (!makesSize(request.mode, request, request.model)) {
    // A refusal is better than a result of another size.
    throw new ProviderFault('not-served', 'it makes no images of this size');
  }
  return { ...INPUTS[request.mode](request, sources), ...optionalInputsOf(request, sources) };
};

/**
 * `owner/name` is the newest version of an official model; `owner/name:version` is a fixed version of any other model.
 */
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
  if (typeof id !== 'string' || !/^[a-z0-9]{8,100}$/i.test(id))
    throw new ProviderFault('unknown', 'its answer has no id');
  return id;
};

/** An output is an address, a list of addresses, or an object with an address. */
const addressesIn = (output: unknown): readonly string[] =>
  (Array.isArray(output) ? itemsOf(output) : [output]).flatMap((each) => {
    const fields = fieldsOf(each);
    return textOf(each) ?? textOf(fields['video']) ?? textOf(fields['image']) ?? textOf(fields['url']) ?? [];
  });

/** An unknown state means "still running": only an explicit failure may cause a refund. */
export const toStatus = (value: unknown): OperationStatus => {
  const { status, output, logs } = fieldsOf(value);
  switch (status) {
    case 'succeeded': {
      const done = doneWith(addressesIn(output).map((url) => ({ url })));
      if (done !== undefined) return done;
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

/** Replicate bills a prediction from its start, so a prediction that ended before its start costs nothing. */
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
