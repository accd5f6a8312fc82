import type { ConversationPiece } from '../text-provider';

/** Real answers have far fewer events for each token. This limit ends an endless stream early. */
const EVENTS_PER_TOKEN = 4;
const EVENTS_MIN = 2_000;

export const eventsMaxOf = (maxTokens: number): number => EVENTS_MIN + EVENTS_PER_TOKEN * maxTokens;

/** Reads the events of one stream. It returns the pieces before an invalid event, because the model generated them. */
export abstract class StreamReader {
  /** True after the vendor's last event. */
  isDone = false;
  /** True if the answer has a finish reason, so its stream was not cut. */
  hasFinish = false;
  fault?: Error;
  private events = 0;

  constructor(private readonly eventsMax: number) {}

  read(events: readonly string[]): readonly ConversationPiece[] {
    const pieces: ConversationPiece[] = [];
    try {
      for (const data of events) {
        this.isDone ||= this.isEnd(data);
        if (this.isDone) break;
        this.events += 1;
        if (this.events > this.eventsMax) throw new Error('its stream is too long');
        this.take(data, pieces);
      }
    } catch (error) {
      this.fault = error as Error;
    }
    return pieces;
  }

  /** Whether this data marks the end of the stream. */
  protected isEnd(_data: string): boolean {
    return false;
  }

  protected abstract take(data: string, pieces: ConversationPiece[]): void;
}
