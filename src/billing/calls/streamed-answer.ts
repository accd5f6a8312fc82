import type { AppError } from '../../kernel/app-error';
import type { SseReply } from '../../platform/http/answers/sse-reply';

/** The most characters of a stream that are stored for repetitions. */
const KEPT_CHARS_MAX = 1_000_000;

/** The fields of the charge for the last piece of a stream. */
export interface StreamedCharge {
  readonly id: string;
  readonly state: 'charged' | 'released';
  readonly priceMicro: number;
}

/** A stored stream, encrypted, for a repetition of its call. */
export interface KeptStream {
  readonly events: readonly string[];
}

/**
 * An answer that a by-use route sends piece by piece. The feature sends the pieces. After the last piece
 * `ChargeInterceptor` charges the use and ends the stream.
 */
export abstract class StreamedAnswer {
  private readonly events: string[] = [];
  private chars = 0;

  constructor(readonly sse: SseReply) {}

  /** Sends the whole output of the work. Returns early if the caller disconnects; throws if the work breaks off. */
  abstract send(): Promise<void>;

  /** The last pieces, once the charge is known. */
  abstract ending(charge: StreamedCharge): readonly string[];

  /** The last message of a broken stream. */
  abstract failure(error: unknown): AppError;

  /** Sends one piece, and stores it for a repetition of the call. */
  protected add(piece: string): void {
    this.sse.add(piece);
    this.chars += piece.length;
    if (this.chars <= KEPT_CHARS_MAX) this.events.push(piece);
  }

  /** The whole stream, or undefined if it is too long to be stored. */
  kept(ending: readonly string[]): KeptStream | undefined {
    return this.chars > KEPT_CHARS_MAX ? undefined : { events: [...this.events, ...ending] };
  }
}
