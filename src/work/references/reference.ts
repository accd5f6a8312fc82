import type { Reference } from './reference.entity';

export interface MatchedReference {
  readonly reference: Reference;
  /** The cosine similarity, from -1 to 1. */
  readonly score: number;
}

/** The limit of free references of an owner, and of an address; the database enforces it. */
export const FREE_MAX = 5;

/** The limit of assets in a library; the database enforces it. */
export const LIBRARY_MAX = 100;

/** A reference with a vector of the present embedder. */
export interface SearchableReference {
  readonly reference: Reference;
  readonly vector: Buffer;
}
