import { withoutAbsent } from '#kernel/present';
import { fieldsOf, itemsOf, textOf } from '../http/json-fields';
import { ProviderFault } from '../http/provider-fault';
import { type MediaMode, kindOf } from '../media-mode';
import type { MediaRequest, MediaSize, OperationStatus } from '../media-provider';
import type { TextUsage } from '../text-provider';
import type { OptionalInput } from '../optional-inputs';

const IMAGE_SIZES: Readonly<Record<string, string>> = {
  '1:1': '1024x1024',
  '3:2': '1536x1024',
  '2:3': '1024x1536',
};

const VIDEO_SIZES: Readonly<Record<string, string>> = {
  '720p 16:9': '1280x720',
  '720p 9:16': '720x1280',
  '1080p 16:9': '1792x1024',
  '1080p 9:16': '1024x1792',
};

/**
 * Videos and pictures have only the sizes above, but pictures may also have any size in pixels. An edited picture has
 * the size of its source.
 */
export const makesSize = (mode: MediaMode, size: MediaSize): boolean => {
  if (kindOf(mode) === 'video') return videoSizeOf(size) !== undefined;
  return mode !== 't2i' || imageSizeOf(size) !== undefined;
};

const imageSizeOf = ({ imageSize, resolution = '1K', aspectRatio = '1:1' }: MediaSize): string | undefined =>
  imageSize ?? (resolution === '1K' ? IMAGE_SIZES[aspectRatio] : undefined);

const videoSizeOf = ({
  resolution = '720p',
  usualRatio = '16:9',
  aspectRatio = usualRatio,
}: MediaSize): string | undefined => VIDEO_SIZES[`${resolution} ${aspectRatio}`];

/** OpenAI accepts no seed and no negative prompt. `dall-e-2` edits only one picture, and `dall-e-3` makes only one. */
export const takesOptionalInputs = (mode: MediaMode, model: string): readonly OptionalInput[] => {
  if (mode === 't2i') return model === 'dall-e-3' ? [] : ['n'];
  if (mode !== 'i2i') return [];
  return model === 'dall-e-2' ? ['mask', 'n'] : ['sources', 'mask', 'n'];
};

type Fields = Readonly<Record<string, string>>;

/** Older models return an address unless the request asks for bytes. Newer models refuse the parameter for that. */
const formatOf = (model: string): Fields =>
  model.startsWith('dall-e') ? { response_format: 'b64_json' } : {};

/** Without a quality, the model chooses one, and the dearest costs four times as much as the catalog expects. */
const qualityOf = ({ model, quality = 'medium' }: MediaRequest): Fields =>
  /gpt-image/.test(model) ? { quality } : {};

export const toImageFields = (request: MediaRequest): Fields => {
  const { model, mode, prompt } = request;
  if (!makesSize(mode, request)) {
    // A refusal is better than a result of another size.
    throw new ProviderFault('not-served', 'it makes no images of this size');
  }
  return { model, prompt, size: imageSizeOf(request) ?? 'auto', ...formatOf(model), ...qualityOf(request) };
};

/** The pictures of an answer. If there are none, the outcome is unknown. */
export const toPictures = (value: unknown): readonly Buffer[] => {
  const texts = itemsOf(fieldsOf(value)['data']).flatMap((each) => textOf(fieldsOf(each)['b64_json']) ?? []);
  if (texts.length === 0) throw new ProviderFault('unknown', 'its answer has no picture');
  return texts.map((text) => Buffer.from(text, 'base64'));
};

const countIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** The tokens that an answer with pictures counts. Undefined if it counts none. */
export const toTokens = (value: unknown): TextUsage | undefined => {
  const usage = fieldsOf(fieldsOf(value)['usage']);
  const promptTokens = countIn(usage['input_tokens']);
  const completionTokens = countIn(usage['output_tokens']);
  if (promptTokens === undefined || completionTokens === undefined || completionTokens === 0)
    return undefined;
  const inputImageTokens = countIn(fieldsOf(usage['input_tokens_details'])['image_tokens']);
  return { promptTokens, completionTokens, ...withoutAbsent({ inputImageTokens }) };
};

export const toVideoFields = (request: MediaRequest): Fields => {
  const { model, prompt, seconds } = request;
  const size = videoSizeOf(request);
  if (size === undefined) {
    // A refusal is better than a result of another size.
    throw new ProviderFault('not-served', 'it makes no films of this size');
  }
  return withoutAbsent({ model, prompt, size, seconds: seconds?.toString() });
};

export const toVideoId = (value: unknown): string => {
  const { id } = fieldsOf(value);
  if (typeof id !== 'string' || !/^[A-Za-z0-9_-]{1,200}$/.test(id)) {
    throw new ProviderFault('unknown', 'its answer has no id');
  }
  return id;
};

/** An unknown state means "still running": only an explicit failure may cause a refund. */
export const toStatus = (value: unknown): OperationStatus | { readonly state: 'completed' } => {
  const { status, progress } = fieldsOf(value);
  if (status === 'completed') return { state: 'completed' };
  if (status === 'failed') return { state: 'failed', reason: 'it says so' };
  return typeof progress === 'number' && progress > 0 && progress <= 100
    ? { state: 'running', progress: Math.min(99, Math.floor(progress)) }
    : { state: 'running' };
};
