import type { ConversationPiece } from '../text-provider';
import type { Quirk } from './openai-server';
import { toPieces } from './openai.wire';

/** Reads the events of one stream. What came before one that is wrong was said, and counts. */
export class PieceReader {
  isDone = false;
  hasFinish = false;
  fault?: Error;
  private events = 0;
  private last?: Words;

  constructor(
    private readonly eventsMax: number,
    private readonly quirks: ReadonlySet<Quirk>,
  ) {}

  read(events: readonly string[]): readonly ConversationPiece[] {
    const said: ConversationPiece[] = [];
    try {
      for (const data of events) {
        this.isDone = data === '[DONE]';
        if (this.isDone) break;
        this.events += 1;
        if (this.events > this.eventsMax) throw new Error('its stream says too much');
        const words = this.last?.next(data);
        if (words === undefined) this.take(data, said);
        else said.push(words);
      }
    } catch (error) {
      this.fault = error as Error;
    }
    return said;
  }

  private take(data: string, said: ConversationPiece[]): void {
    const pieces = toPieces(JSON.parse(data), this.quirks);
    if (pieces === undefined) throw new Error('its stream says that it failed');
    for (const piece of pieces) {
      said.push(piece);
      this.hasFinish ||= 'delta' in piece && piece.finishReason !== undefined;
    }
    this.last = pieces.length === 1 ? Words.in(data, pieces[0]!) : undefined;
  }
}

/** A chunk with words and nothing else. Most that follow differ in the words only, and the rest is not parsed again. */
class Words {
  private constructor(
    private readonly before: string,
    private readonly after: string,
  ) {}

  static in(data: string, piece: ConversationPiece): Words | undefined {
    if (!('delta' in piece) || piece.finishReason !== undefined || piece.hidden !== undefined)
      return undefined;
    const { content, ...more } = piece.delta;
    if (typeof content !== 'string' || Object.keys(more).length > 0) return undefined;
    const [before, after, ...others] = data.split(`"content":${JSON.stringify(content)}`);
    if (after === undefined || others.length > 0) return undefined;
    return new Words(`${before}"content":`, after);
  }

  /** Undefined where more than the words has changed. */
  next(data: string): ConversationPiece | undefined {
    const { before, after } = this;
    if (!data.startsWith(before) || !data.endsWith(after)) return undefined;
    const content = textIn(data.slice(before.length, -after.length));
    return content === undefined ? undefined : { delta: { content } };
  }
}

/** Undefined where it is not exactly one text. */
const textIn = (json: string): string | undefined => {
  try {
    const value = JSON.parse(json) as unknown;
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
};
