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
  /** The caller must read the stream to its end or destroy it. Otherwise a file or a connection stays open. */
  readonly stream: Readable;
  /** The range that the stream contains. It ends at the blob's end. */
  readonly range: { readonly start: number; readonly end: number };
}

export type BlobContent = Readable | Uint8Array;

/** Stores media. Code may write a key again only with the same content, or with `putNew`. */
export abstract class BlobStore {
  /** Stores the whole content, or nothing if it fails. It throws an error of the content's own stream unchanged. */
  abstract put(key: string, content: BlobContent, about: { readonly mime: string }): Promise<BlobInfo>;

  /** Stores a new blob. If the key is taken, the present blob stays unchanged and the result is undefined. */
  abstract putNew(
    key: string,
    content: BlobContent,
    about: { readonly mime: string },
  ): Promise<BlobInfo | undefined>;

  /** Undefined if there is no such blob. Throws `BlobRangeOutside` if the blob ends before the range starts. */
  abstract get(key: string, range?: BlobRange): Promise<StoredBlob | undefined>;

  abstract head(key: string): Promise<BlobInfo | undefined>;

  /** Deleting a missing blob is no error, so that a retry after a crash succeeds. */
  abstract delete(key: string): Promise<void>;

  abstract healthy(): Promise<boolean>;
}
