import type { Type } from '@nestjs/common';

import type { Party, PartyKind } from '#platform/config/party';
import type { Setting } from '#platform/config/setting';
import type { AudioProvider, SpeechFormat } from './audio-provider';
import type { MediaMode } from './media-mode';
import type { ModelList } from './models/model-list';
import type { MediaProvider, MediaSize } from './media-provider';
import type { Screener } from './policy/screener';
import type { TextProvider } from './text-provider';
import type { OptionalInput } from './optional-inputs';

/** The capabilities of a vendor. The service does not start if a route of the catalog needs any other capability. */
export interface Serves {
  readonly text: boolean;
  readonly modes: readonly MediaMode[];
  /** Whether the vendor makes a mode in this size with this model. If absent, it makes every size of a model. */
  readonly makes?: (mode: MediaMode, size: MediaSize, model: string) => boolean;
  /** The optional inputs that the vendor's adapter passes on to this model. If absent, it passes on none. */
  readonly takes?: (mode: MediaMode, model: string) => readonly OptionalInput[];
  /** The audio formats that the vendor makes. If absent, it makes no speech. */
  readonly speaks?: readonly SpeechFormat[];
  /** Whether the vendor transcribes recordings. */
  readonly transcribes?: boolean;
}

export interface Adapters {
  readonly text?: TextProvider;
  readonly media?: MediaProvider;
  readonly audio?: AudioProvider;
}

type Fields = Readonly<Record<string, Setting>>;

/** The values of one provider's settings, under the names that its vendor chose. */
export type AccessOf<S extends Fields> = {
  readonly [Field in keyof S]: S[Field] extends Setting<infer Value> ? Value : never;
};

interface Own<S extends Fields> {
  /** The name of the provider in the catalog, the log and the metrics. */
  readonly name: string;
  readonly access: AccessOf<S>;
}

/** Returns the instance of the database, or of a class that a vendor lists in `parts`. */
type Part = <T>(type: Type<T>) => T;

interface Words<S extends Fields> extends Omit<Party, 'screens'> {
  readonly settings: S;
  readonly serves: Serves;
  /** Classes that the adapters need and that Nest creates, such as a repository. */
  readonly parts?: readonly Type[];
  adapters(own: Own<S>, part: Part): Adapters;
  /** The vendor's list of the models that its key can use. */
  models?(own: Own<S>): ModelList;
  /** The vendor's id in the book of prices. Without one, the book finds the vendor by its address. */
  readonly book?: string;
  /** A free request that succeeds only with a valid key. */
  probe?(own: Own<S>): { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  /** Makes a screener of callers' content. `known` screens by the operator's own rules. */
  screener?(own: Own<S>, known: Screener): Screener;
}

/** The complete definition of one vendor: its settings, its capabilities and its adapters. */
export type Vendor = Words<Fields> & Party;

/** A kind of vendor: one protocol, and any number of servers with names that the operator chooses. */
export interface VendorKind extends PartyKind {
  readonly serves: Serves;
  readonly parts?: readonly Type[];
  one(name: string): Vendor;
}

/** Makes a vendor from its definition. Its adapters receive the values of its settings. */
export const vendor = <S extends Fields>(words: Words<S>): Vendor => ({
  ...(words as unknown as Words<Fields>),
  screens: words.screener !== undefined,
});
