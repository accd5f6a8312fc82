import { jsonIn } from '#kernel/json';
import { refusalIn } from '../http/answer-status';
import { ProviderFault, contentRefused } from '../http/provider-fault';
import { StreamReader } from '../text/stream-reader';
import { isTooLong, tooLong } from '../text/too-long';
import type { ConversationPiece } from '../text-provider';
import type { Quirk } from './openai-server';
import { isBusy, toPieces } from './openai.wire';

/** Reads chunks of chat completions. */
export class PieceReader extends StreamReader {
  private last?: Words;
  private hasWords = false;

  constructor(
    eventsMax: number,
    private readonly quirks: ReadonlySet<Quirk>,
  ) {
    super(eventsMax);
  }

  protected override isEnd(data: string): boolean {
    return data === '[DONE]';
  }

  protected take(data: string, output: ConversationPiece[]): void {
    const words = this.last?.next(data);
    if (words === undefined) this.parse(data, output);
    else output.push(words);
  }

  private parse(data: string, output: ConversationPiece[]): void {
    const chunk = JSON.parse(data) as unknown;
    const pieces = toPieces(chunk, this.quirks);
    if (pieces === undefined) {
      const refusal = refusalIn(400, chunk);
      if (!this.hasWords && isTooLong(refusal)) throw tooLong(refusal);
      const outcome = !this.hasWords && isBusy(chunk) ? 'not-accepted' : 'unknown';
      throw new ProviderFault(outcome, 'its stream says that it failed');
    }
    for (const piece of pieces) {
      if ('delta' in piece) this.record(piece);
      output.push(piece);
    }
    this.last = pieces.length === 1 ? Words.in(data, pieces[0]!) : undefined;
  }

  private record({ delta, finishReason, hidden }: Extract<ConversationPiece, { delta: unknown }>): void {
    const { role: _, ...words } = delta;
    this.hasWords ||= hidden !== undefined || Object.values(words).some((value) => value !== '');
    this.hasFinish ||= finishReason !== undefined;
    if (!this.hasWords && finishReason === 'content_filter') throw contentRefused();
  }
}

/**
 * The unchanged parts of a chunk that has only a text. Most of the next chunks differ only in their text, so the reader
 * parses only that.
 */
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

  /** Undefined if more than the text has changed. */
  next(data: string): ConversationPiece | undefined {
    const { before, after } = this;
    if (!data.startsWith(before) || !data.endsWith(after)) return undefined;
    const content = textIn(data.slice(before.length, -after.length));
    return content === undefined ? undefined : { delta: { content } };
  }
}

/** Undefined unless `json` is exactly one text. */
const textIn = (json: string): string | undefined => {
  const value = jsonIn(json);
  return typeof value === 'string' ? value : undefined;
};
