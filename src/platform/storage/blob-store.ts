import type { Readable } from 'node:stream';

export interface BlobInfo {
  /** The size of the whole blob, even if only a range of it is read. */
  readonly bytes: number;
  readonly mime: string;
}

/** Both ends are inclusive, as in HTTP. Without `end`, the range reaches to the last byte. */
export interface BlobRange {
  readonly start: number;
  readonly end?: number;
}

export interface StoredBlob extends BlobInfo {
  /** Must be read to its end or destroyed; otherwise a file or a connection stays open. */
  readonly stream: Readable;
  /** The number of bytes in the stream: of the range, cut at the blob's end. */
  readonly range: { readonly start: number; readonly end: number };
}

export type BlobContent = Readable | Uint8Array;

/** Stores finished media and references. A key may be written again only with the same content, or with `putNew`. */
export abstract class BlobStore {
  /**
   * Stores all or nothing: after a failure nothing is stored. An error of the content's own stream is thrown unchanged.
   */
  abstract put(key: string, content: BlobContent, about: { readonly mime: string }): Promise<BlobInfo>;

  /** Stores a new blob. If there is one with this key, it stays unchanged and the result is undefined. */
  abstract putNew(
    key: string,
    content: BlobContent,
    about: { readonly mime: string },
  ): Promise<BlobInfo | undefined>;

  /** Undefined if there is no such blob. Throws `BlobRangeOutside` if it ends before the range starts. */
  abstract get(key: string, range?: BlobRange): Promise<StoredBlob | undefined>;

  abstract head(key: string): Promise<BlobInfo | undefined>;

  /** Deleting a missing blob is no error, so that a retry after a crash succeeds. */
  abstract delete(key: string): Promise<void>;

  abstract healthy(): Promise<boolean>;
}
