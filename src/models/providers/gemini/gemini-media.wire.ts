import { withoutAbsent } from '#kernel/present';
import { fieldsOf, itemsOf, textOf } from '../http/json-fields';
import { ProviderFault, contentRefused } from '../http/provider-fault';
import { type MediaMode, kindOf } from '../media-mode';
import type { MediaRequest, MediaSize, OperationStatus } from '../media-provider';
import type { OptionalInput } from '../optional-inputs';

const PICTURE_RATIOS: ReadonlySet<string> = new Set(['1:1', '16:9', '9:16', '3:2', '2:3', '4:3', '3:4']);
const PICTURE_SIZES: ReadonlySet<string> = new Set(['1K', '2K', '4K']);
const FILM_RATIOS: ReadonlySet<string> = new Set(['16:9', '9:16']);
const FILM_SIZES: ReadonlySet<string> = new Set(['720p', '1080p']);

/** The API accepts ratios and size classes, but no size in pixels. */
export const makesSize = (
  mode: MediaMode,
  {
    usualRatio,
    aspectRatio = kindOf(mode) === 'video' ? usualRatio : undefined,
    resolution,
    imageSize,
  }: MediaSize,
): boolean => {
  const [ratios, sizes, standard] =
    kindOf(mode) === 'image' ? [PICTURE_RATIOS, PICTURE_SIZES, '1K'] : [FILM_RATIOS, FILM_SIZES, '720p'];
  return imageSize === undefined && ratios.has(aspectRatio ?? '16:9') && sizes.has(resolution ?? standard);
};

const requireSize = (request: MediaRequest): void => {
  if (makesSize(request.mode, request)) return;
  // A refusal is better than a result of another size.
  throw new ProviderFault('not-served', 'it makes nothing of this size');
};

/**
 * Gemini accepts any number of pictures and a seed. Imagen accepts neither, but makes several pictures. Veo accepts a
 * seed and a negative prompt, and version 3.1 also a last frame. Veo continues only clips that it made, so it can't
 * continue a caller's clip.
 */
export const takesOptionalInputs = (mode: MediaMode, model: string): readonly OptionalInput[] => {
  if (kindOf(mode) === 'image') {
    if (isImagen(model)) return mode === 't2i' ? ['n'] : [];
    return mode === 'i2i' ? ['seed', 'sources'] : ['seed'];
  }
  return [
    'seed',
    'negativePrompt',
    ...(mode === 'i2v' && model.startsWith('veo-3.1') ? (['lastFrame'] as const) : []),
  ];
};

export interface InlineImage {
  readonly mimeType: string;
  readonly data: string;
}

interface Ask {
  readonly path: string;
  readonly json: object;
}

/** Imagen accepts texts only, and its requests have another form. */
const isImagen = (model: string): boolean => model.startsWith('imagen');

export const toPictureAsk = (request: MediaRequest, images: readonly InlineImage[]): Ask => {
  requireSize(request);
  const { model, mode, prompt, resolution, seed, n = 1 } = request;
  // Without a ratio, an edited picture has that of its source.
  const { aspectRatio = mode === 'i2i' ? undefined : '1:1' } = request;
  if (isImagen(model)) {
    if (images.length > 0) throw new ProviderFault('not-served', 'it draws from words alone');
    return {
      path: `models/${model}:predict`,
      json: {
        instances: [{ prompt }],
        parameters: withoutAbsent({ sampleCount: n, aspectRatio, imageSize: resolution }),
      },
    };
  }
  return {
    path: `models/${model}:generateContent`,
    json: {
      contents: [
        { role: 'user', parts: [{ text: prompt }, ...images.map((inlineData) => ({ inlineData }))] },
      ],
      generationConfig: withoutAbsent({
        responseModalities: ['IMAGE'],
        imageConfig: withoutAbsent({ aspectRatio, imageSize: resolution }),
        seed,
      }),
    },
  };
};

/** The pictures of an answer. If there are none, the model refused the content, or the outcome is unknown. */
export const toPictures = (value: unknown): readonly Buffer[] => {
  const { candidates, predictions, promptFeedback } = fieldsOf(value);
  const drawn = itemsOf(predictions).flatMap((each) => textOf(fieldsOf(each)['bytesBase64Encoded']) ?? []);
  const candidate = fieldsOf(itemsOf(candidates)[0]);
  const parts = itemsOf(fieldsOf(candidate['content'])['parts']);
  const [inline] = parts.flatMap((part) => textOf(fieldsOf(fieldsOf(part)['inlineData'])['data']) ?? []);
  const texts = drawn.length > 0 || inline === undefined ? drawn : [inline];
  if (texts.length > 0) return texts.map((text) => Buffer.from(text, 'base64'));
  const isBlocked = textOf(fieldsOf(promptFeedback)['blockReason']) !== undefined;
  const isRefused = /SAFETY|PROHIBITED|BLOCKLIST|SPII|RECITATION/.test(
    textOf(candidate['finishReason']) ?? '',
  );
  throw isBlocked || isRefused ? contentRefused() : new ProviderFault('unknown', 'its answer has no picture');
};

const inFilm = ({ data, mimeType }: InlineImage): object => ({ bytesBase64Encoded: data, mimeType });

export const toFilmAsk = (request: MediaRequest, image?: InlineImage, lastFrame?: InlineImage): Ask => {
  requireSize(request);
  const { model, prompt, usualRatio = '16:9', resolution, seconds, seed, negativePrompt } = request;
  // A film never has the shape of its picture.
  const { aspectRatio = usualRatio } = request;
  return {
    path: `models/${model}:predictLongRunning`,
    json: {
      instances: [
        withoutAbsent({
          prompt,
          image: image && inFilm(image),
          lastFrame: lastFrame && inFilm(lastFrame),
        }),
      ],
      parameters: withoutAbsent({
        aspectRatio,
        resolution,
        durationSeconds: seconds,
        seed,
        negativePrompt,
      }),
    },
  };
};

const OPERATION = /^models\/[\w.-]{1,100}\/operations\/[\w-]{1,100}$/;

export const toProviderRef = (value: unknown): string => {
  const { name } = fieldsOf(value);
  if (typeof name !== 'string' || !OPERATION.test(name))
    throw new ProviderFault('unknown', 'its answer has no operation');
  return name;
};

/** If an operation ends without a film and without an error, a filter stopped it. */
export const toStatus = (value: unknown): OperationStatus => {
  const { done, error, response } = fieldsOf(value);
  if (done !== true) return { state: 'running' };
  if (error !== undefined) return { state: 'failed', reason: 'it says so' };
  const { generatedSamples } = fieldsOf(fieldsOf(response)['generateVideoResponse']);
  const url = textOf(fieldsOf(fieldsOf(itemsOf(generatedSamples)[0])['video'])['uri']);
  return url === undefined
    ? { state: 'failed', reason: 'it made nothing' }
    : { state: 'done', result: { url } };
};
