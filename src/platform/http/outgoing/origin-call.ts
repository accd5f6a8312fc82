import type { Dispatcher } from 'undici';

/** One call to the server of an `OriginClient`. */
export interface OriginCall {
  readonly path: string;
  readonly method: Dispatcher.HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Aborts the whole call, including its body. */
  readonly signal: AbortSignal;
  readonly headersMsMax: number;
  /** The longest pause between two pieces of the answer. */
  readonly silenceMsMax: number;
  /**
   * The client calls this just before it sends the first byte. A call that fails before this has certainly reached no
   * server.
   */
  readonly onSent?: () => void;
}

export interface WholeCall extends OriginCall {
  /** The client cuts a longer answer at this length. */
  readonly bytesMax: number;
}
