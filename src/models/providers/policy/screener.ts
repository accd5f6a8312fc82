/** How strongly a category applies to some content. */
export interface CategoryScore {
  /** In plain words, such as `sexual minors`. */
  readonly category: string;
  /** From 0 to 1. */
  readonly score: number;
  /** The screener's own verdict. It decides if the operator sets no threshold for the category. */
  readonly flagged: boolean;
}

/** Rates content by category, with lists or with a moderation model. */
export abstract class Screener {
  /** Whether the screener sends content to an outside service. A dry run skips such a screener. */
  abstract readonly remote: boolean;

  abstract screenText(text: string): Promise<readonly CategoryScore[]>;

  abstract screenImage(bytes: Buffer, mime: string): Promise<readonly CategoryScore[]>;

  /** Checks a video only by its hash, because no screener can decode videos. */
  abstract screenVideo(sha256: string): Promise<readonly CategoryScore[]>;

  /** Closes the connections to the outside service. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
