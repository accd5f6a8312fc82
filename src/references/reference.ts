import type { Reference } from './reference.entity';

export interface MatchedReference {
  readonly reference: Reference;
  /** The cosine, from -1 to 1. */
  readonly score: number;
}

/** How many an owner who has never paid has at a time, and an address; the database keeps to it. */
export const FREE_MAX = 5;

/** How many assets a library holds; the database keeps to it. */
export const LIBRARY_MAX = 100;

/** A reference that the embedder of today has made a vector of. */
export interface SearchableReference {
  readonly reference: Reference;
  readonly vector: Buffer;
}
