import { Catalog } from '#models/catalog/catalog';
import type { MediaModel } from '#models/catalog/catalog-models';
import { NotOffered } from '#models/catalog/catalog.errors';
import { type MediaOptions, optionsOf } from '#models/catalog/media-price-calculator';
import type { ImagesBody } from './images.dto';
import { promptModelOf } from './media-request';
import { checkOptionalInputs } from './check-optional-inputs';
import { IMAGE_SIZES, shapeOf } from './sizes';

/** Names the field that the caller has sent, because a size decides the shape. */
const refuseSize = (
  model: MediaModel,
  { size, aspectRatio }: ImagesBody,
  shape: string | undefined,
): void => {
  const { aspectRatios, imageSizes, id } = model;
  if (size === undefined || aspectRatio !== undefined || shape === undefined || aspectRatios.length === 0)
    return;
  if (aspectRatios.includes(shape) || imageSizes.includes(size)) return;
  const fitting = Object.entries(IMAGE_SIZES).flatMap(([name, each]) =>
    aspectRatios.includes(each.aspectRatio) ? [name] : [],
  );
  throw new NotOffered('size', id, fitting, size);
};

/** `auto` leaves the choice to us. The others are the qualities of an older model of OpenAI, in its present words. */
const OTHER_WORDS: ReadonlyMap<string | undefined, string | undefined> = new Map([
  ['auto', undefined],
  ['standard', 'medium'],
  ['hd', 'high'],
]);

const qualityOf = ({ quality }: ImagesBody): string | undefined =>
  OTHER_WORDS.has(quality) ? OTHER_WORDS.get(quality) : quality;

/**
 * Ignores an aspect ratio, a resolution, an image size or a quality that the model does not have, because clients always
 * send them.
 */
export const imageRequestOf = (
  catalog: Catalog,
  body: ImagesBody,
): { readonly model: MediaModel; readonly options: MediaOptions } => {
  const model = promptModelOf(catalog, { modelId: body.model }, 't2i');
  checkOptionalInputs(catalog, model, body, 'model');
  const shape = shapeOf(IMAGE_SIZES, body);
  refuseSize(model, body, shape.aspectRatio);
  const sized = body.size !== undefined && model.imageSizes.includes(body.size) ? body.size : body.imageSize;
  return {
    model,
    options: optionsOf(model, {
      n: body.n,
      aspectRatio: model.aspectRatios.length > 0 ? shape.aspectRatio : undefined,
      resolution: model.resolutions.length > 0 ? shape.resolution : undefined,
      imageSize: model.imageSizes.length > 0 ? sized : undefined,
      quality: model.qualities === undefined ? undefined : qualityOf(body),
    }),
  };
};
