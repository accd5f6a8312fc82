import { Catalog } from '#models/catalog/catalog';
import type { MediaModel } from '#models/catalog/catalog-models';
import type { RequestedMedia } from '#models/catalog/media-price-calculator';
import { InvalidRequest } from '#kernel/app-error';
import type { WantedMedia } from '#platform/media/media-intake';
import type { MediaKind, MediaMode } from '#models/providers/media-mode';

/** The media of a call, and its optional inputs for the result. */
export interface MediaCall {
  readonly modelId?: string;
  readonly image?: string;
  readonly image2?: string;
  readonly video?: string;
  readonly sources?: readonly string[];
  readonly mask?: string;
  readonly lastFrame?: string;
  readonly extend?: string;
  readonly useReferences?: boolean;
  readonly referenceIds?: readonly string[];
  readonly duration?: number;
}

/** A call for a medium in the terms of the catalog, whatever form its body has. */
export interface MediaAsk extends MediaCall, RequestedMedia {
  readonly prompt?: string;
  readonly webhookUrl?: string;
}

/** The media inputs that modes need. References of the library can fill empty inputs. */
const INPUT_NAMES = ['image', 'image2', 'video'] as const;
export type InputName = (typeof INPUT_NAMES)[number];

/** The media inputs that only some models accept. */
const OPTIONAL_NAMES = ['sources', 'mask', 'lastFrame', 'extend'] as const;
export type SourceName = InputName | (typeof OPTIONAL_NAMES)[number];

export const kindOfInput = (name: SourceName): MediaKind =>
  name === 'video' || name === 'extend' ? 'video' : 'image';

/** A source medium as the caller named it. */
export interface NamedSource {
  readonly name: SourceName;
  /** The caller's field, such as `sources[1]`. */
  readonly param: string;
  readonly source: string;
}

const REFERENCE_ID = /^ref_[\w-]{1,56}$/;

/** Whether a source is the id of a reference in the caller's library. */
export const isReference = ({ source }: NamedSource): boolean => REFERENCE_ID.test(source);

export const sourcesIn = (call: MediaCall): readonly NamedSource[] =>
  [...INPUT_NAMES, ...OPTIONAL_NAMES].flatMap((name) => {
    const named = call[name];
    if (named === undefined) return [];
    return typeof named === 'string'
      ? [{ name, param: name, source: named }]
      : named.map((source, at) => ({ name, param: `${name}[${at}]`, source }));
  });

/** The rules for a source medium. Only images may have a plain http address. */
export const wantedAs = ({ name, param }: NamedSource): WantedMedia => {
  const kind = kindOfInput(name);
  return { param, kinds: [kind], plainHttp: kind === 'image' };
};

const INPUTS: Readonly<Record<MediaMode, readonly InputName[]>> = {
  t2i: [],
  t2v: [],
  i2i: ['image'],
  i2v: ['image'],
  swap: ['image', 'image2'],
  motion: ['image', 'video'],
};

/** The mode of a call without a model, by its media and its duration. */
export const modeOf = ({ image, image2, video, duration, lastFrame, extend }: MediaCall): MediaMode => {
  if (image !== undefined && video !== undefined) return 'motion';
  if (image !== undefined && image2 !== undefined) return 'swap';
  const moves = (duration ?? lastFrame ?? extend) !== undefined;
  if (image !== undefined) return moves ? 'i2v' : 'i2i';
  return moves ? 't2v' : 't2i';
};

/** The model of a call. Throws a 400 that suggests a similar id if there is no such model. */
export const modelOf = (catalog: Catalog, call: MediaCall, param = 'modelId'): MediaModel =>
  catalog.mediaModel(call.modelId, modeOf(call), param);

/** The model of a call that has only a prompt. */
export const promptModelOf = (catalog: Catalog, call: MediaCall, mode: 't2i' | 't2v'): MediaModel => {
  const model = modelOf(catalog, call, 'model');
  if (model.mode === mode) return model;
  const made = mode === 't2i' ? 'images' : 'videos';
  throw new InvalidRequest(`${model.id} makes no ${made} from a prompt alone; use POST /v1/agent/generate.`, {
    param: 'model',
    remedies: [{ param: 'model' }],
  });
};

/** The model of a call whose body may have no field for it. Then the route has named the model. */
export const requestedModel = (catalog: Catalog, ask: MediaCall, body: object): MediaModel =>
  ask.modelId === undefined || ask.modelId === (body as MediaCall).modelId
    ? modelOf(catalog, ask)
    : catalog.routeModel(ask.modelId);

/** Players and probes may measure different lengths of a clip, by a frame or two. */
const SECONDS_OFF_MAX = 0.1;

export const isLonger = (seconds: number | undefined, billed: number): boolean =>
  (seconds ?? 0) > billed + SECONDS_OFF_MAX;

/** The inputs that a model needs and a call lacks, in order. */
export const emptyInputs = (model: MediaModel, call: MediaCall): readonly InputName[] =>
  INPUTS[model.mode].filter((name) => call[name] === undefined);

/** Whether a call uses references of the caller's library. */
export const wantsReferences = (call: MediaCall): boolean =>
  call.useReferences === true || (call.referenceIds?.length ?? 0) > 0 || sourcesIn(call).some(isReference);

/** Refuses media that the model does not use. Refuses missing media, unless references will replace them. */
export const checkInputs = (model: MediaModel, call: MediaCall): void => {
  const takes = INPUTS[model.mode];
  const what = takes.length === 0 ? 'no source media' : takes.join(' and ');
  for (const name of INPUT_NAMES) {
    if (call[name] !== undefined && !takes.includes(name)) {
      throw new InvalidRequest(`${model.id} takes ${what}; leave ${name} out or choose another model.`, {
        param: name,
        remedies: [{ param: 'modelId' }, { param: name }],
      });
    }
  }
  const empty = emptyInputs(model, call);
  const pinned = call.referenceIds?.length ?? 0;
  if (pinned > empty.length) {
    const room = empty.length === 0 ? 'no empty input' : `only ${empty.length} empty input(s)`;
    throw new InvalidRequest(
      `${model.id} takes ${what}, which leaves ${room} for ${pinned} referenceIds; name a modelId that has them.`,
      { param: 'referenceIds' },
    );
  }
  const missing = empty[pinned];
  if (missing !== undefined && call.useReferences !== true) {
    throw new InvalidRequest(`${model.id} needs ${empty.join(' and ')}.`, {
      param: missing,
      remedies: [{ param: 'modelId' }],
    });
  }
};
