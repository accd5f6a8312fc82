import type { Reference } from './reference.entity';

export interface MatchedReference {
  readonly reference: Reference;
  /** The cosine similarity, from -1 to 1. */
  readonly score: number;
}

/** A reference with a vector of the present embedder. */
export interface SearchableReference {
  readonly reference: Reference;
  readonly vector: Buffer;
}
