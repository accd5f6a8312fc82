import type { AppError } from '#kernel/app-error';
import type { SseReply } from '#platform/http/answers/sse-reply';
import { KEPT_CHARS_MAX } from './replay-limits';

/** The fields of the charge for the last piece of a stream. */
export interface StreamedCharge {
  readonly id: string;
  readonly state: 'charged' | 'released';
  readonly priceMicro: number;
}

/** The stored form of a stream, for a repetition of its call. `AnswerVault` encrypts it. */
export interface KeptStream {
  readonly events: readonly string[];
  /** Whether each event is sent with a name: the `type` at the beginning of its data. */
  readonly named?: boolean;
}

export const isKeptStream = (body: unknown): body is KeptStream =>
  Array.isArray((body as { readonly events?: unknown } | null)?.events);

const NAME = /^\{"type":"([a-z_.]{1,60})"/;

/**
 * Sends the data of an event. If `named` is true, it also sends the event's name, for clients that use names of events.
 */
export const sendEvent = (sse: SseReply, data: string, named: boolean): void => {
  const name = named ? NAME.exec(data)?.[1] : undefined;
  if (name === undefined) sse.add(data);
  else sse.sendEvent(name, data);
};

/**
 * An answer that a by-use route sends piece by piece. The feature sends the pieces. After the last piece,
 * `ChargeInterceptor` charges the use and ends the stream.
 */
export abstract class StreamedAnswer {
  /** Whether clients use the names of events. The data of each event then begins with its `type`. */
  protected readonly named: boolean = false;
  private readonly events: string[] = [];
  private chars = 0;

  constructor(readonly sse: SseReply) {}

  /** Sends the whole output of the work. Returns early if the caller disconnects; throws if the work fails. */
  abstract send(): Promise<void>;

  /** The last pieces, after the charge is known. */
  abstract ending(charge: StreamedCharge): readonly string[];

  /** The last message of a broken stream. */
  abstract failure(error: unknown): AppError;

  /** The last events of a failed stream, made from the error body and the status of an unstreamed answer. */
  broken(envelope: object, _status: number): readonly string[] {
    return [JSON.stringify(envelope)];
  }

  /** Sends one piece without storing it. `kept` stores the last pieces. */
  sendPiece(piece: string): void {
    sendEvent(this.sse, piece, this.named);
  }

  /** Sends one piece, and stores it for a repetition of the call. */
  protected add(piece: string): void {
    this.sendPiece(piece);
    this.chars += piece.length;
    if (this.chars <= KEPT_CHARS_MAX) this.events.push(piece);
  }

  /** The whole stream, or undefined if it is too long to be stored. */
  kept(ending: readonly string[]): KeptStream | undefined {
    if (this.chars > KEPT_CHARS_MAX) return undefined;
    const events = [...this.events, ...ending];
    return this.named ? { events, named: true } : { events };
  }
}
