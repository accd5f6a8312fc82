import type { ChatApi } from '#models/conversation/conversation';
import type { StreamedBody } from '#platform/http/outgoing/streamed-body';
import type { Refusal } from '../http/answer-status';
import { fieldsOf } from '../http/json-fields';
import { type FaultOutcome, ProviderFault, asTextError } from '../http/provider-fault';
import { ProviderHttp, type ProviderHttpOptions } from '../http/provider-http';
import { serverEvents } from '../http/server-events';
import { LIST_BYTES_MAX } from '../models/model-list';
import type { ProviderName } from '../provider-name';
import type { TokenPrices } from '../token-prices';
import {
  type ConversationPiece,
  type ConversationRequest,
  type TextAnswer,
  TextProvider,
  type TextRequest,
} from '../text-provider';
import { FIRST_WORD_MS_MAX, STREAM_SILENCE_MS_MAX } from './silence-limits';
import { type StreamReader, eventsMaxOf } from './stream-reader';
import { isTooLong } from './too-long';
import { countOf } from './written-conversation';

const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

export interface Question {
  readonly path: string;
  readonly json: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Translates between one vendor's streams and ours, in pure code. Throws `ProviderFault` for values that it can't
 * translate.
 */
export interface StreamWire {
  /** The API whose bodies `streamed` passes on as the caller sent them. */
  readonly speaks?: ChatApi;
  streamed(request: ConversationRequest): Question;
  reader(eventsMax: number): StreamReader;
  /** Parses a stream that does not consist of server-sent events. */
  readonly events?: (body: AsyncIterable<Buffer>) => AsyncIterable<readonly string[]>;
  /** The vendor's free count of the input tokens, if it has one for this conversation. */
  readonly counts?: {
    question(request: ConversationRequest): Question | undefined;
    /** The name of the count in the answer. */
    readonly field: string;
  };
}

export interface TextWire extends StreamWire {
  whole(request: TextRequest): Question;
  /** Undefined if the answer is not usable. */
  answer(value: unknown, request: TextRequest): TextAnswer | undefined;
  /** The vendor's list of models with their prices, if it has one. */
  readonly prices?: {
    readonly path: string;
    read(value: unknown): ReadonlyMap<string, TokenPrices>;
  };
}

/** A translated conversation offers only the tools that the model may call, because most vendors know no such list. */
const narrowed = (request: ConversationRequest): ConversationRequest => {
  const { conversation } = request;
  const { allowed } = conversation.options;
  if (allowed === undefined) return request;
  const tools = conversation.tools.filter(({ name }) => allowed.includes(name));
  return { ...request, conversation: { ...conversation, tools } };
};

/** Completes texts at a vendor over HTTP: as JSON, or as a stream of events. */
export class WireTextProvider extends TextProvider {
  readonly name: ProviderName;
  private readonly http: ProviderHttp;

  /** `others` are for the conversations of one further API each. */
  constructor(
    options: ProviderHttpOptions,
    private readonly wire: TextWire,
    private readonly others: readonly StreamWire[] = [],
  ) {
    super();
    this.name = options.name;
    const judge = (refusal: Refusal): FaultOutcome | undefined =>
      isTooLong(refusal) ? 'too-long' : options.judge?.(refusal);
    this.http = new ProviderHttp({ ...options, judge });
  }

  override speaks(api: ChatApi): boolean {
    return this.wireOf(api).speaks === api;
  }

  private wireOf(api: ChatApi): StreamWire {
    return this.others.find(({ speaks }) => speaks === api) ?? this.wire;
  }

  async complete(request: TextRequest, signal: AbortSignal): Promise<TextAnswer> {
    try {
      const call = this.call(this.wire.whole(request), signal);
      const value = await this.http.json({ ...call, bytesMax: ANSWER_BYTES_MAX });
      const answer = this.wire.answer(value, request);
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
    let body: StreamedBody | undefined;
    try {
      const wire = this.wireOf(request.conversation.api);
      const { headers, ...question } = wire.streamed(
        wire.speaks === request.conversation.api ? request : narrowed(request),
      );
      const reader = wire.reader(eventsMaxOf(request.maxTokens));
      body = await this.http.open(
        this.call(
          { ...question, headers: { accept: 'text/event-stream', ...headers } },
          signal,
          STREAM_SILENCE_MS_MAX,
        ),
      );
      for await (const events of (wire.events ?? serverEvents)(body)) {
        const pieces = reader.read(events);
        if (pieces.length > 0) yield pieces;
        if (reader.fault !== undefined) throw reader.fault;
        if (reader.isDone) break;
      }
      // Without a finish reason, the stream was cut, even if its connection ended properly.
      if (!reader.hasFinish) throw new ProviderFault('unknown', 'its stream ended too soon');
      body.leave();
    } catch (error) {
      throw asTextError(
        error instanceof ProviderFault
          ? error
          : new ProviderFault('unknown', 'its stream broke off', { cause: error }),
      );
    } finally {
      body?.stop(); // If the reader stops early, the provider must stop the work, too.
    }
  }

  override async count(request: ConversationRequest, signal: AbortSignal): Promise<number | undefined> {
    const { counts } = this.wireOf(request.conversation.api);
    const question = counts?.question(request);
    if (counts === undefined || question === undefined) return undefined;
    return countOf(fieldsOf(await this.http.json(this.call(question, signal)))[counts.field]);
  }

  override async prices(signal: AbortSignal): Promise<ReadonlyMap<string, TokenPrices>> {
    const { prices } = this.wire;
    if (prices === undefined) return new Map();
    const { path } = prices;
    return prices.read(await this.http.json({ method: 'GET', path, signal, bytesMax: LIST_BYTES_MAX }));
  }

  override async close(): Promise<void> {
    await this.http.close();
  }

  private call({ path, json, headers }: Question, signal: AbortSignal, silenceMsMax?: number) {
    const headersMsMax = silenceMsMax ?? FIRST_WORD_MS_MAX;
    return { method: 'POST', path, json, headers, signal, headersMsMax, silenceMsMax } as const;
  }
}
