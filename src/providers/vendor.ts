import type { Type } from '@nestjs/common';

import type { Party, PartyKind } from '../platform/config/party';
import type { Setting } from '../platform/config/setting';
import type { ContentPolicy } from './content-policy';
import type { MediaMode } from './media-mode';
import type { MediaProvider, MediaSize } from './media-provider';
import type { TextProvider } from './text-provider';

/** What a vendor can make at all. A route of the catalog to anything else stops the start. */
export interface Serves {
  readonly text: boolean;
  readonly modes: readonly MediaMode[];
  /** Whether it makes a mode in this size; without it, in every size that a model has. */
  readonly makes?: (mode: MediaMode, size: MediaSize) => boolean;
}

export interface Adapters {
  readonly text?: TextProvider;
  readonly media?: MediaProvider;
}

type Fields = Readonly<Record<string, Setting>>;

/** What the settings say of one provider, by the names that its vendor gave to them. */
export type AccessOf<S extends Fields> = {
  readonly [Field in keyof S]: S[Field] extends Setting<infer Value> ? Value : never;
};

interface Own<S extends Fields> {
  /** What the provider is called in the catalog, the log and the metrics. */
  readonly name: string;
  readonly access: AccessOf<S>;
}

/** An instance of one of the classes that the vendor has named as its parts, or that every module may have. */
type Part = <T>(type: Type<T>) => T;

interface Words<S extends Fields> extends Omit<Party, 'screens'> {
  readonly settings: S;
  readonly serves: Serves;
  /** Classes that its adapters need and Nest makes, such as a repository. */
  readonly parts?: readonly Type[];
  adapters(own: Own<S>, part: Part): Adapters;
  /** What tells for free whether the key is good. */
  probe?(own: Own<S>): { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  /** Screens what callers want; `known` is the operator's own list. */
  policy?(own: Own<S>, known: ContentPolicy): ContentPolicy;
}

/** Everything that the service knows of one vendor: its settings, what it serves, and who speaks with it. */
export type Vendor = Words<Fields> & Party;

/** Vendors that speak one language and come in any number, each under a name that the operator gives it. */
export interface VendorKind extends PartyKind {
  readonly serves: Serves;
  readonly parts?: readonly Type[];
  one(name: string): Vendor;
}

/** The vendor that these words describe. Its adapters get what its own settings have read. */
export const vendor = <S extends Fields>(words: Words<S>): Vendor => ({
  ...(words as unknown as Words<Fields>),
  screens: words.policy !== undefined,
});
