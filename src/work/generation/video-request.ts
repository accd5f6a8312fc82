import { Catalog } from '#models/catalog/catalog';
import type { MediaModel } from '#models/catalog/catalog-models';
import { NotOffered } from '#models/catalog/catalog.errors';
import { type MediaOptions, optionsOf } from '#models/catalog/media-price-calculator';
import { promptModelOf } from './media-request';
import { checkOptionalInputs } from './check-optional-inputs';
import { VIDEO_SIZES, shapeOf } from './sizes';
import type { VideosBody } from './videos.dto';

/** The model's smallest duration that is not below the requested seconds. Throws if the model has none. */
const stepFor = (model: MediaModel, seconds: string | undefined): number | undefined => {
  if (seconds === undefined) return undefined;
  const step = model.durations.find((duration) => duration >= Number(seconds));
  if (step === undefined || Number(seconds) < 1)
    throw new NotOffered('seconds', model.id, model.durations, seconds);
  return step;
};

export const videoRequestOf = (
  catalog: Catalog,
  body: VideosBody,
): { readonly model: MediaModel; readonly options: MediaOptions; readonly size: string } => {
  const wanted = body.model === undefined ? { duration: 1 } : { modelId: body.model };
  const model = promptModelOf(catalog, wanted, 't2v');
  checkOptionalInputs(catalog, model, body, 'model');
  const options = optionsOf(model, {
    ...shapeOf(VIDEO_SIZES, body),
    duration: stepFor(model, body.seconds),
    audio: body.audio,
  });
  return { model, options, size: body.size ?? sizeOf(options) };
};

const sizeOf = ({ aspectRatio, resolution }: MediaOptions): string =>
  Object.entries(VIDEO_SIZES).find(
    ([, size]) => size.aspectRatio === aspectRatio && size.resolution === resolution,
  )?.[0] ?? `${resolution ?? 'auto'} ${aspectRatio ?? ''}`.trim();
