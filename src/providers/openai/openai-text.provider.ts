import type { Readable } from 'node:stream';

import { ProviderFault, asTextError } from '../http/provider-fault';
import { ProviderHttp } from '../http/provider-http';
import { serverEvents } from '../http/server-events';
import type { ProviderName } from '../provider-name';
import {
  type ConversationPiece,
  type ConversationRequest,
  type TextAnswer,
  TextProvider,
  type TextRequest,
} from '../text-provider';
import { type Quirk, type ServerAccess, authorizationOf } from './openai-server';
import { judge, toCompletionBody, toConversationBody, toPieces, toTextAnswer } from './openai.wire';

/** A model may think for long before its first word; the caller's own signal ends it sooner. */
const FIRST_WORD_MS_MAX = 120_000;
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
const AFTER_END_MS_MAX = 2_000;
/** Far more than any server sends for an answer of so many tokens: one that never ends is cut off early. */
const EVENTS_PER_TOKEN = 4;
const EVENTS_MIN = 2_000;
const PATH = 'chat/completions';

/** Texts from any server that speaks the chat completions of OpenAI. */
export class OpenaiTextProvider extends TextProvider {
  private readonly http: ProviderHttp;
  private readonly quirks: ReadonlySet<Quirk>;

  constructor(
    readonly name: ProviderName,
    access: ServerAccess,
  ) {
    super();
    this.quirks = new Set(access.quirks);
    const { baseUrl } = access;
    this.http = new ProviderHttp({ name, baseUrl, headers: () => authorizationOf(access), judge });
  }

  async complete(request: TextRequest, signal: AbortSignal): Promise<TextAnswer> {
    try {
      const json = toCompletionBody(request, this.quirks);
      const value = await this.http.json({
        ...this.call(request.ourId, json, signal),
        bytesMax: ANSWER_BYTES_MAX,
      });
      const answer = toTextAnswer(value, request, this.quirks);
      if (answer === undefined) throw new ProviderFault('unknown', 'its answer is no completion');
      return answer;
    } catch (error) {
      throw asTextError(error);
    }
  }

  async *converse(
    request: ConversationRequest,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ConversationPiece[]> {
    try {
      const body = await this.http.open({
        ...this.call(request.ourId, toConversationBody(request, this.quirks), signal),
        headers: { accept: 'text/event-stream', 'x-client-request-id': request.ourId },
      });
      let ended = false;
      try {
        yield* piecesOf(body, request.maxTokens, this.quirks);
        ended = true;
      } finally {
        if (ended) letEnd(body);
        else body.destroy(); // Who stops reading stops the work upstream.
      }
    } catch (error) {
      throw asTextError(error);
    }
  }

  override async close(): Promise<void> {
    await this.http.close();
  }

  private call(ourId: string, json: object, signal: AbortSignal) {
    return {
      method: 'POST',
      path: PATH,
      json,
      signal,
      headersMsMax: FIRST_WORD_MS_MAX,
      headers: { 'x-client-request-id': ourId },
    } as const;
  }
}

/** What a server still says after its last event is let pass, so that its connection can serve the next call. */
const letEnd = (body: Readable): void => {
  const timer = setTimeout(() => body.destroy(), AFTER_END_MS_MAX).unref();
  body.once('close', () => clearTimeout(timer)).resume();
};

/** A stream that ends without a finish has broken off, however politely. */
async function* piecesOf(
  body: Readable,
  maxTokens: number,
  quirks: ReadonlySet<Quirk>,
): AsyncGenerator<readonly ConversationPiece[]> {
  const reader = new PieceReader(EVENTS_MIN + EVENTS_PER_TOKEN * maxTokens, quirks);
  try {
    for await (const events of serverEvents(body)) {
      const pieces = reader.read(events);
      if (pieces.length > 0) yield pieces;
      if (reader.fault !== undefined) throw reader.fault;
      if (reader.isDone) break;
    }
  } catch (error) {
    throw new ProviderFault('unknown', 'its stream broke off', { cause: error });
  }
  if (!reader.hasFinish) throw new ProviderFault('unknown', 'its stream ended too soon');
}

/** Reads the events of one stream. What came before one that is wrong was said, and counts. */
class PieceReader {
  isDone = false;
  hasFinish = false;
  fault?: Error;
  private events = 0;

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
        said.push(...this.piecesOf(data));
      }
    } catch (error) {
      this.fault = error as Error;
    }
    return said;
  }

  private piecesOf(data: string): readonly ConversationPiece[] {
    this.events += 1;
    if (this.events > this.eventsMax) throw new Error('its stream says too much');
    const pieces = toPieces(JSON.parse(data), this.quirks);
    if (pieces === undefined) throw new Error('its stream says that it failed');
    this.hasFinish ||= pieces.some((piece) => 'delta' in piece && piece.finishReason !== undefined);
    return pieces;
  }
}
