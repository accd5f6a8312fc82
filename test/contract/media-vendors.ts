import type { MediaMode } from '#models/providers/media-mode';
import type { OptionalInput } from '#models/providers/optional-inputs';
import { FakeBfl } from '../support/fake-bfl';
import { FakeFal } from '../support/fake-fal';
import { FakeGemini } from '../support/fake-gemini';
import { FakeOpenai } from '../support/fake-openai';
import type { FakeProvider } from '../support/fake-provider';
import { FakeReplicate } from '../support/fake-replicate';
import { FakeRunway } from '../support/fake-runway';
import { FakeXai } from '../support/fake-xai';
import { fixtureOf } from './fixtures';

/** The fake of a vendor, with the settings that enable the vendor. */
export type FakeMediaVendor = FakeProvider & {
  readonly key: string;
  readonly env: Readonly<Record<string, string>>;
};

/** The states of work at a vendor. */
type Word = 'waiting' | 'begun' | 'done' | 'failed';

/** A vendor's model, and the field for each optional input in the vendor's documentation. */
export interface Documented {
  readonly mode: MediaMode;
  readonly model: string;
  readonly names: Partial<Record<OptionalInput, string>>;
  /** The path of the request for optional inputs that change it. */
  readonly paths?: Partial<Record<OptionalInput, string>>;
}

export interface MediaVendor<F extends FakeMediaVendor = FakeMediaVendor> {
  start(): Promise<F>;
  /** One of the vendor's models for each mode that it serves. */
  readonly models: Partial<Readonly<Record<MediaMode, string>>>;
  /** The durations that the vendor documents for its films. */
  readonly seconds: readonly number[];
  /** The modes whose answer contains the results, with the fake's name of this operation. */
  readonly atOnce?: Partial<Readonly<Record<MediaMode, string>>>;
  /** The field of a poll's answer that has the state of the work. */
  readonly state: string;
  /** From now on, the vendor says this of all work, at each poll. */
  says(fake: F, word: Word): void;
  /** The vendor reports its bill: the operation and the field with it, and the bill of the fake in micro-USD. */
  readonly bill?: { readonly operation: string; readonly field: string; readonly micro: bigint };
  /** The fake makes one result, whatever number a request asks for. */
  readonly makesOne?: true;
  /** All of its films have sound, so a request does not ask for it. */
  readonly alwaysSounds?: true;
  /** A request stops running work. */
  readonly stops?: true;
  /** The optional inputs that it passes on. `optional-inputs.spec.ts` lists those of our own vendors. */
  readonly optionalInputs?: readonly Documented[];
}

const entry = <F extends FakeMediaVendor>(vendor: MediaVendor<F>): MediaVendor =>
  vendor as unknown as MediaVendor;

/** By the name in `src/models/providers/vendors.ts`. */
const MEDIA_VENDORS: Readonly<Record<string, MediaVendor>> = {
  fal: entry<FakeFal>({
    start: () => FakeFal.start(),
    models: {
      t2i: 'fal-ai/flux/dev',
      i2i: 'fal-ai/flux/dev/image-to-image',
      t2v: 'fal-ai/veo3',
      i2v: 'fal-ai/kling-video/v2.1/standard/image-to-video',
      swap: 'fal-ai/face-swap',
      motion: 'fal-ai/wan-motion',
    },
    seconds: [4, 5, 6, 8, 10],
    makesOne: true,
    state: 'status',
    says: (fake, word) => {
      const words = { waiting: 'queued', begun: 'running', done: 'completed', failed: 'failed' } as const;
      fake.words = [words[word]];
    },
    stops: true,
  }),
  replicate: entry<FakeReplicate>({
    start: () => FakeReplicate.start(),
    models: {
      t2i: 'black-forest-labs/flux-dev',
      i2i: 'black-forest-labs/flux-kontext-pro',
      t2v: 'google/veo-3',
      i2v: 'google/veo-3',
      swap: 'someone/face-swap',
      motion: 'someone/motion',
    },
    seconds: [4, 5, 6, 8, 10],
    makesOne: true,
    state: 'status',
    says: (fake, word) => {
      const words = {
        waiting: 'starting',
        begun: 'processing',
        done: 'succeeded',
        failed: 'failed',
      } as const;
      fake.words = [words[word]];
    },
    stops: true,
  }),
  openai: entry<FakeOpenai>({
    start: () => FakeOpenai.start(),
    models: {
      t2i: 'gpt-image-1',
      i2i: 'gpt-image-1',
      swap: 'gpt-image-1',
      t2v: 'sora-2-pro',
      i2v: 'sora-2-pro',
    },
    seconds: [4, 8, 12],
    atOnce: { t2i: 'image', i2i: 'image', swap: 'image' },
    alwaysSounds: true,
    state: 'status',
    says: (fake, word) => {
      const words = { waiting: 'queued', begun: 'in_progress', done: 'completed', failed: 'failed' };
      fake.videoStatuses = [words[word]];
    },
    stops: true,
  }),
  gemini: entry<FakeGemini>({
    start: () => FakeGemini.start(),
    models: {
      t2i: 'gemini-2.5-flash-image',
      i2i: 'gemini-2.5-flash-image',
      swap: 'gemini-2.5-flash-image',
      t2v: 'veo-3.1-generate-preview',
      i2v: 'veo-3.1-generate-preview',
    },
    seconds: [4, 6, 8],
    atOnce: { t2i: 'image', i2i: 'image', swap: 'image' },
    makesOne: true,
    alwaysSounds: true,
    state: 'done',
    says: (fake, word) => {
      const words = { waiting: 'running', begun: 'running', done: 'done', failed: 'failed' } as const;
      fake.words = [words[word]];
    },
  }),
  bfl: entry<FakeBfl>({
    start: () => FakeBfl.start(),
    models: { t2i: 'flux-2-pro', i2i: 'flux-2-pro' },
    seconds: [],
    state: 'status',
    says: (fake, word) => {
      const words = { waiting: 'pending', begun: 'drawing', done: 'ready', failed: 'moderated' } as const;
      fake.words = [words[word]];
    },
    bill: { operation: 'submit', field: 'cost', micro: 30_000n },
  }),
  runway: entry<FakeRunway>({
    start: () => FakeRunway.start(),
    models: { t2i: 'gen4_image', i2i: 'gen4_image', t2v: 'gen4.5', i2v: 'gen4_turbo' },
    seconds: [5, 8, 10],
    state: 'status',
    says: (fake, word) => {
      const words = { waiting: 'pending', begun: 'running', done: 'succeeded', failed: 'failed' } as const;
      fake.words = [words[word]];
    },
    stops: true,
  }),
  xai: entry<FakeXai>({
    start: () => FakeXai.start(),
    models: {
      t2i: 'grok-imagine-image',
      i2i: 'grok-imagine-image',
      t2v: 'grok-imagine-video',
      i2v: 'grok-imagine-video',
    },
    seconds: [1, 4, 6, 8, 15],
    atOnce: { t2i: 'image', i2i: 'image' },
    alwaysSounds: true,
    state: 'status',
    says: (fake, word) => {
      const words = { waiting: 'pending', begun: 'pending', done: 'done', failed: 'failed' } as const;
      fake.words = [words[word]];
    },
    bill: { operation: 'status', field: 'usage', micro: 350_000n },
  }),
};

/** A vendor that is not listed here has a file `<name>.media-vendor.ts`. */
export const mediaVendorOf = (name: string): MediaVendor => fixtureOf('media-vendor', name, MEDIA_VENDORS);
