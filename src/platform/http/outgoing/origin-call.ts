import type { Dispatcher } from 'undici';

/** One call to the server of an `OriginClient`. */
export interface OriginCall {
  readonly path: string;
  readonly method: Dispatcher.HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Ends the whole call, including its body. */
  readonly signal: AbortSignal;
  readonly headersMsMax: number;
  /** The longest pause between two pieces of the answer. */
  readonly silenceMsMax: number;
  /** Called when the first byte is about to leave. A call that fails before this has surely reached no server. */
  readonly onSent?: () => void;
}

export interface WholeCall extends OriginCall {
  /** A longer answer is cut here. */
  readonly bytesMax: number;
}
