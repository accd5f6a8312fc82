import type { StreamedBody } from '../../platform/http/outgoing/streamed-body';
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
import { judge, toCompletionBody, toConversationBody, toTextAnswer } from './openai.wire';
import { PieceReader } from './piece-reader';

/** A model may think for long before its first word; the caller's own signal ends it sooner. */
const FIRST_WORD_MS_MAX = 120_000;
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
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
    const json = toConversationBody(request, this.quirks);
    const reader = new PieceReader(EVENTS_MIN + EVENTS_PER_TOKEN * request.maxTokens, this.quirks);
    let body: StreamedBody | undefined;
    try {
      body = await this.http.open({
        ...this.call(request.ourId, json, signal),
        headers: { accept: 'text/event-stream', 'x-client-request-id': request.ourId },
      });
      for await (const events of serverEvents(body)) {
        const pieces = reader.read(events);
        if (pieces.length > 0) yield pieces;
        if (reader.fault !== undefined) throw reader.fault;
        if (reader.isDone) break;
      }
      // It has broken off, however politely.
      if (!reader.hasFinish) throw new ProviderFault('unknown', 'its stream ended too soon');
      body.leave();
    } catch (error) {
      throw asTextError(
        error instanceof ProviderFault
          ? error
          : new ProviderFault('unknown', 'its stream broke off', { cause: error }),
      );
    } finally {
      body?.stop(); // Who stops reading stops the work upstream.
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
