import type { MaybePromise } from '../../kernel/maybe-promise';

/** How strongly a category applies to some content. */
export interface CategoryScore {
  /** In plain words, such as `sexual minors`. */
  readonly category: string;
  /** From 0 to 1. */
  readonly score: number;
  /** The screener's own verdict. It is used if the operator sets no threshold. */
  readonly flagged: boolean;
}

/** Rates content by category: by lists, or by a model that was made for it. */
export abstract class Screener {
  /** Whether it sends content to an outside service; a dry run then skips it. */
  abstract readonly remote: boolean;

  abstract screenText(text: string): MaybePromise<readonly CategoryScore[]>;

  abstract screenImage(bytes: Buffer, mime: string): Promise<readonly CategoryScore[]>;

  /** Videos are checked only by their hash, because no screener here decodes them. */
  abstract screenVideo(sha256: string): Promise<readonly CategoryScore[]>;

  /** Closes its connections. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
