import type { AppError } from '../../kernel/app-error';
import type { SseReply } from '../../platform/http/answers/sse-reply';

/** As much of a streamed answer as is kept for a repetition of its call. */
const KEPT_CHARS_MAX = 1_000_000;

/** What a stream may say of its charge in its last piece. */
export interface StreamedCharge {
  readonly id: string;
  readonly state: 'charged' | 'released';
  readonly priceMicro: number;
}

/** A streamed answer as it is stored, sealed, for a repetition of its call. */
export interface KeptStream {
  readonly events: readonly string[];
}

/**
 * An answer that a by-use route sends piece by piece. The feature sends the pieces; `ChargeInterceptor` charges what was
 * used after the last piece, and ends the stream.
 */
export abstract class StreamedAnswer {
  private readonly events: string[] = [];
  private chars = 0;

  constructor(readonly sse: SseReply) {}

  /** Sends what the work produces, to its end. Returns early when the caller disconnects; throws when the work breaks off. */
  abstract send(): Promise<void>;

  /** The last pieces, once the charge is known. */
  abstract ending(charge: StreamedCharge): readonly string[];

  /** What the reader of a stream that broke off is told. */
  abstract failure(error: unknown): AppError;

  /** Sends one piece, and keeps it for a repetition of the call. */
  protected add(piece: string): void {
    this.sse.add(piece);
    this.chars += piece.length;
    if (this.chars <= KEPT_CHARS_MAX) this.events.push(piece);
  }

  /** The whole stream, or undefined where it is too long to be kept. */
  kept(ending: readonly string[]): KeptStream | undefined {
    return this.chars > KEPT_CHARS_MAX ? undefined : { events: [...this.events, ...ending] };
  }
}
