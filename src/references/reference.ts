import type { MediaKind } from '../providers/media-mode';

/** One asset of an owner's library. */
export interface Reference {
  readonly id: string;
  readonly owner: string;
  readonly kind: MediaKind;
  readonly mime: string;
  readonly bytes: number;
  /** Of videos. */
  readonly seconds?: number;
  readonly label?: string;
  readonly blobKey: string;
  /** Whether the embedder of today has made its vector. */
  readonly searchable: boolean;
  readonly createdAt: Date;
}

export interface MatchedReference {
  readonly reference: Reference;
  /** The cosine, from -1 to 1. */
  readonly score: number;
}

/** How many an owner who has never paid has at a time, and an address; the database keeps to it. */
export const FREE_MAX = 5;

/** How many assets a library holds; the database keeps to it. */
export const LIBRARY_MAX = 100;
