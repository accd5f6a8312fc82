import type { Readable } from 'node:stream';

export interface BlobInfo {
  /** The size of the whole blob, also if only a range of it is read. */
  readonly bytes: number;
  readonly mime: string;
}

/** Both ends are inclusive, as in HTTP; without `end` to the last byte. */
export interface BlobRange {
  readonly start: number;
  readonly end?: number;
}

export interface StoredBlob extends BlobInfo {
  /** Must be read to its end or destroyed, or it keeps a file or a connection open. */
  readonly stream: Readable;
  /** The bytes of the stream: the range, cut at the blob's end. */
  readonly range: { readonly start: number; readonly end: number };
}

export type BlobContent = Readable | Uint8Array;

/** Where finished media and references are kept. A key that is written again has the same content, or uses `putNew`. */
export abstract class BlobStore {
  /** All or nothing: after a failure nothing is stored. An error of the content's own stream is thrown unchanged. */
  abstract put(key: string, content: BlobContent, about: { readonly mime: string }): Promise<BlobInfo>;

  /** The same, but it never replaces a blob: undefined if there is one, which then stays as it is. */
  abstract putNew(
    key: string,
    content: BlobContent,
    about: { readonly mime: string },
  ): Promise<BlobInfo | undefined>;

  /** Undefined when there is no such blob; `BlobRangeOutside` when it ends before the range starts. */
  abstract get(key: string, range?: BlobRange): Promise<StoredBlob | undefined>;

  abstract head(key: string): Promise<BlobInfo | undefined>;

  /** Deleting a missing blob is no error, so that a retry after a crash succeeds. */
  abstract delete(key: string): Promise<void>;

  abstract healthy(): Promise<boolean>;
}
