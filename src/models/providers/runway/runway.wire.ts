import { withoutAbsent } from '#kernel/present';
import type { Refusal } from '../http/answer-status';
import { fieldsOf, itemsOf, textOf } from '../http/json-fields';
import type { Sources } from '../http/media-bytes';
import { type FaultOutcome, ProviderFault } from '../http/provider-fault';
import { type MediaMode, kindOf } from '../media-mode';
import type { MediaRequest, MediaSize, OperationStatus } from '../media-provider';
import type { OptionalInput } from '../optional-inputs';

/** The vendor's names of sizes, by tier and ratio. */
type Sizes = Readonly<Record<string, string>>;

const WIDE: Sizes = { '720p 16:9': '1280:720', '720p 9:16': '720:1280' };
const WIDE_1080P: Sizes = { '1080p 16:9': '1920:1080', '1080p 9:16': '1080:1920' };
const GEN4_FILMS: Sizes = {
  ...WIDE,
  '720p 4:3': '1104:832',
  '720p 3:4': '832:1104',
  '720p 1:1': '960:960',
  '720p 21:9': '1584:672',
};
const VEO_FILMS: Sizes = { ...WIDE, ...WIDE_1080P };
/** Runway bills pictures by tier. Its further sizes are between these tiers, so they have no clear price. */
const GEN4_PICTURES: Sizes = {
  ...WIDE,
  ...WIDE_1080P,
  '720p 1:1': '720:720',
  '720p 4:3': '960:720',
  '720p 3:4': '720:960',
  '720p 21:9': '1680:720',
  '1080p 1:1': '1080:1080',
  '1080p 4:3': '1440:1080',
  '1080p 3:4': '1080:1440',
};
const GEMINI_PICTURES: Sizes = {
  '1K 1:1': '1024:1024',
  '1K 16:9': '1344:768',
  '1K 9:16': '768:1344',
  '1K 3:2': '1248:832',
  '1K 2:3': '832:1248',
  '1K 4:3': '1184:864',
  '1K 3:4': '864:1184',
  '1K 5:4': '1152:896',
  '1K 4:5': '896:1152',
  '1K 21:9': '1536:672',
};

interface Offer {
  readonly sizes: Partial<Readonly<Record<MediaMode, Sizes>>>;
  /** The shortest and the longest film, or each length. */
  readonly seconds?: { readonly from: number; readonly to: number } | readonly number[];
  /** Whether the films have sound: never, always, or if the field `audio` asks for it. */
  readonly sound?: 'never' | 'always' | 'optional';
}

const GEN4_SECONDS = { from: 2, to: 10 };
const VEO_31: Offer = {
  sizes: { t2v: VEO_FILMS, i2v: VEO_FILMS },
  seconds: [4, 6, 8],
  sound: 'optional',
};

/** Read on 2026-11-30 in the types of Runway's own client, @runwayml/sdk. */
const OFFERS: Readonly<Record<string, Offer>> = {
  'gen4.5': { sizes: { t2v: WIDE, i2v: GEN4_FILMS }, seconds: GEN4_SECONDS, sound: 'never' },
  gen4_turbo: { sizes: { i2v: GEN4_FILMS }, seconds: GEN4_SECONDS, sound: 'never' },
  veo3: { sizes: { t2v: VEO_FILMS, i2v: VEO_FILMS }, seconds: [8], sound: 'always' },
  'veo3.1': VEO_31,
  'veo3.1_fast': VEO_31,
  gen4_image: { sizes: { t2i: GEN4_PICTURES, i2i: GEN4_PICTURES } },
  gen4_image_turbo: { sizes: { i2i: GEN4_PICTURES } },
  'gemini_2.5_flash': { sizes: { t2i: GEMINI_PICTURES, i2i: GEMINI_PICTURES } },
};
/** The offer of models that a catalog names and this list does not. */
const USUAL: Offer = {
  sizes: {
    t2i: GEMINI_PICTURES,
    i2i: GEMINI_PICTURES,
    t2v: { ...GEN4_FILMS, ...VEO_FILMS },
    i2v: { ...GEN4_FILMS, ...VEO_FILMS },
  },
};

const offerOf = (model: string): Offer => OFFERS[model] ?? USUAL;

const ratioOf = (
  mode: MediaMode,
  { usualRatio, aspectRatio = usualRatio, resolution, imageSize }: MediaSize,
  model: string,
): string | undefined => {
  const sizes = offerOf(model).sizes[mode];
  if (sizes === undefined || imageSize !== undefined) return undefined;
  const ratio = aspectRatio ?? (kindOf(mode) === 'image' ? '1:1' : '16:9');
  return sizes[`${resolution ?? ('1K 1:1' in sizes ? '1K' : '720p')} ${ratio}`];
};

export const makesSize = (mode: MediaMode, size: MediaSize, model: string): boolean =>
  ratioOf(mode, size, model) !== undefined;

/** Only models of Runway itself take a seed. */
const TAKES_SEED = /^gen\d/;
const TAKES_NEGATIVE = /^veo3/;
const TAKES_LAST_FRAME = /^veo3\.1/;

export const takesOptionalInputs = (mode: MediaMode, model: string): readonly OptionalInput[] => [
  ...(TAKES_SEED.test(model) ? (['seed'] as const) : []),
  ...(kindOf(mode) === 'video' && TAKES_NEGATIVE.test(model) ? (['negativePrompt'] as const) : []),
  ...(mode === 'i2i' ? (['sources'] as const) : []),
  ...(mode === 'i2v' && TAKES_LAST_FRAME.test(model) ? (['lastFrame'] as const) : []),
];

/** The limit for an image inside the request. */
const IMAGE_BYTES_MAX = 3_300_000;
/** The limit of source pictures for one picture. */
const PICTURES_MAX = 3;

const framesOf = (first: string | undefined, last: string): readonly object[] => [
  { uri: first, position: 'first' },
  { uri: last, position: 'last' },
];

const makesSeconds = ({ seconds: lengths }: Offer, seconds: number | undefined): boolean => {
  if (lengths === undefined || seconds === undefined) return true;
  return 'from' in lengths ? seconds >= lengths.from && seconds <= lengths.to : lengths.includes(seconds);
};

/**
 * Models without a choice do not know the field `audio`. The others make sound unless it is `false`, and sound costs
 * more.
 */
const soundOf = ({ model, audio }: MediaRequest): object => {
  const { sound } = offerOf(model);
  if (audio && sound === 'never') throw new ProviderFault('not-served', 'it makes no sound');
  if (sound === 'optional') return { audio };
  return audio && sound === undefined ? { audio } : {};
};

const requireInputs = ({ image, lastFrame, sources = [] }: MediaRequest): void => {
  const inputs = [image, lastFrame, ...sources].filter((input) => input !== undefined);
  if (inputs.some(({ bytes }) => bytes > IMAGE_BYTES_MAX))
    throw new ProviderFault('not-served', 'it takes no image of this length');
  if (sources.length >= PICTURES_MAX)
    throw new ProviderFault('not-served', 'it takes no more than three pictures');
};

interface Submission {
  readonly path: string;
  readonly json: object;
}

const toPicture = (request: MediaRequest, ratio: string, pictures: readonly string[]): Submission => {
  const { model, prompt, seed } = request;
  const referenceImages = pictures.length === 0 ? undefined : pictures.map((uri) => ({ uri }));
  return {
    path: 'text_to_image',
    json: withoutAbsent({ model, promptText: prompt, referenceImages, ratio, seed }),
  };
};

export const toSubmission = (
  request: MediaRequest,
  { image, lastFrame, sources = [] }: Sources,
): Submission => {
  const { model, mode, prompt, seconds, seed, negativePrompt } = request;
  const ratio = ratioOf(mode, request, model);
  if (ratio === undefined || !makesSeconds(offerOf(model), seconds)) {
    // A refusal is better than a result of another size.
    throw new ProviderFault('not-served', 'it makes nothing of this size');
  }
  requireInputs(request);
  if (kindOf(mode) === 'image') {
    return toPicture(request, ratio, image === undefined ? sources : [image, ...sources]);
  }
  return {
    path: mode === 'i2v' ? 'image_to_video' : 'text_to_video',
    json: withoutAbsent({
      model,
      promptText: prompt,
      promptImage: lastFrame === undefined ? image : framesOf(image, lastFrame),
      ratio,
      duration: seconds,
      seed,
      negativePrompt,
      ...soundOf(request),
    }),
  };
};

export const toProviderRef = (value: unknown): string => {
  const { id } = fieldsOf(value);
  if (typeof id !== 'string' || !/^[\w-]{1,100}$/.test(id))
    throw new ProviderFault('unknown', 'its answer has no id');
  return id;
};

/** An unknown state means "still running": only an explicit failure may cause a refund. */
export const toStatus = (value: unknown): OperationStatus => {
  const { status, output, progress } = fieldsOf(value);
  const url = textOf(itemsOf(output)[0]);
  if (status === 'SUCCEEDED' && url !== undefined) return { state: 'done', result: { url } };
  if (status === 'FAILED' || status === 'CANCELLED')
    return { state: 'failed', reason: `it is ${status.toLowerCase()}` };
  return typeof progress === 'number' && progress > 0 && progress <= 1
    ? { state: 'running', progress: Math.min(99, Math.floor(progress * 100)) }
    : { state: 'running' };
};

/** Runway reports an empty account as 400, like a caller's mistake. */
export const judge = ({ message }: Refusal): FaultOutcome | undefined =>
  /^you do not have enough credits\b/i.test(message) ? 'empty-account' : undefined;
