import { ProviderFault, asTextError } from '../../../src/providers/http/provider-fault';
import { ProviderHttp } from '../../../src/providers/http/provider-http';
import { serverEvents } from '../../../src/providers/http/server-events';
import {
  type ConversationPiece,
  type ConversationRequest,
  type TextAnswer,
  TextProvider,
  type TextRequest,
} from '../../../src/providers/text-provider';
import { judge, toPieces, toQuestion, toTextAnswer } from './quill.wire';

/** A model may think for long before its first word. */
const FIRST_WORD_MS_MAX = 120_000;

export class QuillTextProvider extends TextProvider {
  readonly name = 'quill';
  private readonly http: ProviderHttp;

  constructor(access: { readonly baseUrl: string; readonly key: string | undefined }) {
    super();
    const headers = () => ({ authorization: `Bearer ${access.key ?? ''}` });
    this.http = new ProviderHttp({ name: this.name, baseUrl: access.baseUrl, headers, judge });
  }

  async complete(request: TextRequest, signal: AbortSignal): Promise<TextAnswer> {
    try {
      const answer = toTextAnswer(await this.http.json(this.ask(toQuestion(request, false), signal)));
      if (answer === undefined) throw new ProviderFault('unknown', 'its answer is no text');
      return answer;
    } catch (error) {
      throw asTextError(error);
    }
  }

  async *converse(
    { model, maxTokens, body: { messages } }: ConversationRequest,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ConversationPiece[]> {
    let body: Awaited<ReturnType<ProviderHttp['open']>> | undefined;
    let hasEnded = false;
    try {
      body = await this.http.open(this.ask(toQuestion({ model, maxTokens, messages }, true), signal));
      for await (const events of serverEvents(body)) {
        const pieces = events.flatMap((event) => toPieces(JSON.parse(event)));
        hasEnded ||= pieces.some((piece) => 'usage' in piece);
        if (pieces.length > 0) yield pieces;
      }
      if (!hasEnded) throw new ProviderFault('unknown', 'its stream ended too soon');
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

  private ask(json: object, signal: AbortSignal) {
    return { method: 'POST', path: 'answers', json, signal, headersMsMax: FIRST_WORD_MS_MAX } as const;
  }
}
