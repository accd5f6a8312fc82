import { Catalog, type MediaModel } from '../catalog/catalog';
import { UnknownModel } from '../catalog/catalog.errors';
import { InvalidRequest } from '../kernel/app-error';
import type { MediaMode } from '../providers/media-mode';

/** Which media a call brings, and what it says of the result. */
export interface MediaCall {
  readonly modelId?: string;
  readonly image?: string;
  readonly image2?: string;
  readonly video?: string;
  readonly useReferences?: boolean;
  readonly referenceIds?: readonly string[];
  readonly duration?: number;
}

type InputName = 'image' | 'image2' | 'video';

/** The media that each mode works from. */
export const INPUTS: Readonly<Record<MediaMode, readonly InputName[]>> = {
  t2i: [],
  t2v: [],
  i2i: ['image'],
  i2v: ['image'],
  swap: ['image', 'image2'],
  motion: ['image', 'video'],
};

/** Without a model, what a call brings says what it wants. */
export const modeOf = ({ image, image2, video, duration }: MediaCall): MediaMode => {
  if (image !== undefined && video !== undefined) return 'motion';
  if (image !== undefined && image2 !== undefined) return 'swap';
  const moves = duration !== undefined;
  if (image !== undefined) return moves ? 'i2v' : 'i2i';
  return moves ? 't2v' : 't2i';
};

/** The model of a call, or a 400 that says which one was meant. */
export const modelOf = (catalog: Catalog, call: MediaCall, param = 'modelId'): MediaModel => {
  if (call.modelId !== undefined) {
    const model = catalog.media.get(call.modelId);
    if (model === undefined) throw new UnknownModel(call.modelId, [...catalog.media.keys()], param);
    return model;
  }
  const mode = modeOf(call);
  const model = catalog.defaultMedia(mode);
  if (model === undefined) {
    throw new InvalidRequest(`No model for ${mode} is offered here; name one as ${param}.`, { param });
  }
  return model;
};

/** The library is not built yet; a wish that is passed over in silence would be paid for and missed. */
const refuseReferences = ({ useReferences, referenceIds }: MediaCall): void => {
  const param = useReferences === true ? 'useReferences' : 'referenceIds';
  if (useReferences === true || (referenceIds?.length ?? 0) > 0) {
    throw new InvalidRequest('This service keeps no reference library yet; send the media with the call.', {
      param,
    });
  }
};

/** Refuses media that the model does not work from, and asks for those it needs. */
export const checkInputs = (model: MediaModel, call: MediaCall): void => {
  const takes = INPUTS[model.mode];
  refuseReferences(call);
  for (const name of ['image', 'image2', 'video'] as const) {
    if (call[name] !== undefined && !takes.includes(name)) {
      const what = takes.length === 0 ? 'no source media' : takes.join(' and ');
      throw new InvalidRequest(`${model.id} takes ${what}; leave ${name} out or choose another model.`, {
        param: name,
      });
    }
    if (takes.includes(name) && call[name] === undefined) {
      throw new InvalidRequest(`${model.id} needs ${name}.`, { param: name });
    }
  }
};
