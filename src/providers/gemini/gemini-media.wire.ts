import { withoutAbsent } from '../../kernel/present';
import { fieldsOf, itemsOf, textOf } from '../http/answer-status';
import { ProviderFault, contentRefused } from '../http/provider-fault';
import { type MediaMode, kindOf } from '../media-mode';
import type { MediaRequest, MediaSize, OperationStatus } from '../media-provider';

const PICTURE_RATIOS: ReadonlySet<string> = new Set(['1:1', '16:9', '9:16', '3:2', '2:3', '4:3', '3:4']);
const PICTURE_SIZES: ReadonlySet<string> = new Set(['1K', '2K', '4K']);
const FILM_RATIOS: ReadonlySet<string> = new Set(['16:9', '9:16']);
const FILM_SIZES: ReadonlySet<string> = new Set(['720p', '1080p']);

/** Ratios and classes of size; pixels can't be said. */
export const makesSize = (mode: MediaMode, { aspectRatio, resolution, imageSize }: MediaSize): boolean => {
  const [ratios, sizes, standard] =
    kindOf(mode) === 'image' ? [PICTURE_RATIOS, PICTURE_SIZES, '1K'] : [FILM_RATIOS, FILM_SIZES, '720p'];
  return imageSize === undefined && ratios.has(aspectRatio ?? '16:9') && sizes.has(resolution ?? standard);
};

const requireSize = (request: MediaRequest): void => {
  if (makesSize(request.mode, request)) return;
  // Saying no is better than selling another size than was asked for.
  throw new ProviderFault('not-served', 'it makes nothing of this size');
};

export interface InlineImage {
  readonly mimeType: string;
  readonly data: string;
}

interface Ask {
  readonly path: string;
  readonly json: object;
}

/** Imagen draws from words alone, and is asked in words of its own. */
const isImagen = (model: string): boolean => model.startsWith('imagen');

export const toPictureAsk = (request: MediaRequest, images: readonly InlineImage[]): Ask => {
  requireSize(request);
  const { model, prompt, aspectRatio = '1:1', resolution } = request;
  if (isImagen(model)) {
    if (images.length > 0) throw new ProviderFault('not-served', 'it draws from words alone');
    return {
      path: `models/${model}:predict`,
      json: {
        instances: [{ prompt }],
        parameters: withoutAbsent({ sampleCount: 1, aspectRatio, imageSize: resolution }),
      },
    };
  }
  return {
    path: `models/${model}:generateContent`,
    json: {
      contents: [
        { role: 'user', parts: [{ text: prompt }, ...images.map((inlineData) => ({ inlineData }))] },
      ],
      generationConfig: {
        responseModalities: ['IMAGE'],
        imageConfig: withoutAbsent({ aspectRatio, imageSize: resolution }),
      },
    },
  };
};

/** The picture itself. An answer without one was refused, or is no picture that anybody could be given later. */
export const toPicture = (value: unknown): Buffer => {
  const { candidates, predictions, promptFeedback } = fieldsOf(value);
  const drawn = textOf(fieldsOf(itemsOf(predictions)[0])['bytesBase64Encoded']);
  const candidate = fieldsOf(itemsOf(candidates)[0]);
  const parts = itemsOf(fieldsOf(candidate['content'])['parts']);
  const [inline] = parts.flatMap((part) => textOf(fieldsOf(fieldsOf(part)['inlineData'])['data']) ?? []);
  const data = drawn ?? inline;
  if (data !== undefined) return Buffer.from(data, 'base64');
  const isBlocked = textOf(fieldsOf(promptFeedback)['blockReason']) !== undefined;
  const isRefused = /SAFETY|PROHIBITED|BLOCKLIST|SPII|RECITATION/.test(
    textOf(candidate['finishReason']) ?? '',
  );
  throw isBlocked || isRefused ? contentRefused() : new ProviderFault('unknown', 'its answer has no picture');
};

export const toFilmAsk = (request: MediaRequest, image: InlineImage | undefined): Ask => {
  requireSize(request);
  const { model, prompt, aspectRatio = '16:9', resolution, seconds } = request;
  return {
    path: `models/${model}:predictLongRunning`,
    json: {
      instances: [
        withoutAbsent({
          prompt,
          image: image && { bytesBase64Encoded: image.data, mimeType: image.mimeType },
        }),
      ],
      parameters: withoutAbsent({ aspectRatio, resolution, durationSeconds: seconds }),
    },
  };
};

const OPERATION = /^models\/[\w.-]{1,100}\/operations\/[\w-]{1,100}$/;

export const toProviderRef = (value: unknown): string => {
  const { name } = fieldsOf(value);
  if (typeof name !== 'string' || !OPERATION.test(name)) {
    throw new ProviderFault('unknown', 'its answer has no operation');
  }
  return name;
};

/** Done without a film and without an error is a filter that has taken the film away. */
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
