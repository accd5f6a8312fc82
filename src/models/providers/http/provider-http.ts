import type { IncomingHttpHeaders } from 'node:http';

import { Logger } from '@nestjs/common';

import { jsonIn } from '#kernel/json';
import type { WholeCall } from '#platform/http/outgoing/origin-call';
import { OriginClient } from '#platform/http/outgoing/origin-client';
import { readUpTo } from '#platform/http/outgoing/read-up-to';
import type { StreamedBody } from '#platform/http/outgoing/streamed-body';
import { type Refusal, isOperatorTrouble, outcomeOf, pauseMsIn, refusalIn } from './answer-status';
import { type FaultOutcome, ProviderFault } from './provider-fault';
import { tokensIn } from '../text/too-long';

const MEGABYTE = 1024 * 1024;
const CONNECTIONS_MAX = 512;
const CONNECT_MS_MAX = 5_000;
const HEADERS_MS_MAX = 30_000;
/** The longest pause between two pieces of a body. */
const BODY_MS_MAX = 60_000;
const ERROR_BYTES_MAX = 64 * 1024;

export interface ProviderHttpOptions {
  /** For the log. */
  readonly name: string;
  readonly baseUrl: string;
  /** Called for each request, because a key may change while the service runs. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** Makes headers that depend on the request, such as a signature. If this function throws, nothing was sent. */
  readonly authorize?: (request: UnsignedRequest) => Promise<Readonly<Record<string, string>>>;
  /** Decides the outcome if a vendor's codes and message say more than the status. Otherwise it returns undefined. */
  readonly judge?: (refusal: Refusal) => FaultOutcome | undefined;
}

export interface UnsignedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
  readonly signal: AbortSignal;
}

export interface ProviderCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Relative to the base address. */
  readonly path: string;
  readonly signal: AbortSignal;
  readonly json?: unknown;
  readonly form?: FormData;
  readonly urlencoded?: URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
  readonly headersMsMax?: number;
  readonly silenceMsMax?: number;
  readonly bytesMax?: number;
  /** Whether the caller logs failures itself. */
  readonly isLoggedByCaller?: boolean;
}

/** Speaks HTTP with one provider, and translates each failure into its effect on the work. */
export class ProviderHttp {
  /** The base address. Adapters send our key only below it, or to another host that is certainly the vendor's. */
  readonly base: URL;
  private readonly logger = new Logger(ProviderHttp.name);
  private readonly client: OriginClient;

  constructor(private readonly options: ProviderHttpOptions) {
    this.base = new URL(`${options.baseUrl.replace(/\/+$/, '')}/`);
    this.client = new OriginClient(this.base, {
      connections: CONNECTIONS_MAX,
      connectMsMax: CONNECT_MS_MAX,
    });
  }

  /** The JSON of a success. Throws `ProviderFault` for any other answer, and if the success is too long or no JSON. */
  async json(call: ProviderCall): Promise<unknown> {
    const { status, headers, bytes, isCut } = await this.ask(call, (whole) => this.client.ask(whole));
    const content = isCut ? undefined : parsed(bytes);
    if (!isGood(status)) throw this.refusal(call, status, headers, content);
    if (content === undefined) {
      const why = isCut ? 'its answer is too long' : 'its answer is no JSON';
      throw this.logged(call, new ProviderFault('unknown', why));
    }
    return content;
  }

  /** The bytes of a success. Throws `ProviderFault` for every other answer, and for a success that is too long. */
  async bytes(call: ProviderCall): Promise<Buffer> {
    const { status, headers, bytes, isCut } = await this.ask(call, (whole) => this.client.ask(whole));
    if (!isGood(status)) throw this.refusal(call, status, headers, isCut ? undefined : parsed(bytes));
    if (isCut) throw this.logged(call, new ProviderFault('unknown', 'its answer is too long'));
    return bytes;
  }

  /** The body of a success as a stream. The caller must call `leave` or `stop`. */
  async open(call: ProviderCall): Promise<StreamedBody> {
    const { status, headers, body } = await this.ask(call, (whole) => this.client.open(whole));
    if (isGood(status)) return body;
    throw this.refusal(call, status, headers, await readJson(body));
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private async ask<Answer>(call: ProviderCall, ask: (whole: WholeCall) => Promise<Answer>): Promise<Answer> {
    let sent = false;
    const onSent = (): void => {
      sent = true;
    };
    try {
      const { body, headers } = await this.signed(call);
      return await ask({
        method: call.method,
        path: this.pathOf(call),
        headers,
        body,
        signal: call.signal,
        headersMsMax: call.headersMsMax ?? HEADERS_MS_MAX,
        silenceMsMax: call.silenceMsMax ?? BODY_MS_MAX,
        bytesMax: call.bytesMax ?? MEGABYTE,
        onSent,
      });
    } catch (error) {
      throw this.broken(call, sent, error);
    }
  }

  private async signed(call: ProviderCall): Promise<SignedBody> {
    const { authorize } = this.options;
    const { body, type } = await bodyOf(call);
    const headers = this.headersOf(call, type);
    if (authorize === undefined) return { body, headers };
    const { method, signal } = call;
    const url = new URL(this.pathOf(call), this.base);
    return { body, headers: { ...headers, ...(await authorize({ method, url, headers, body, signal })) } };
  }

  private pathOf({ path }: ProviderCall): string {
    return `${this.base.pathname}${path.replace(/^\/+/, '')}`;
  }

  private headersOf({ headers }: ProviderCall, type: string | undefined): Record<string, string> {
    const all: Record<string, string> = {
      accept: 'application/json',
      ...this.options.headers(),
      ...headers,
    };
    if (type !== undefined) all['content-type'] = type;
    return all;
  }

  private broken(call: ProviderCall, sent: boolean, cause: unknown): ProviderFault {
    return this.logged(
      call,
      sent
        ? new ProviderFault('unknown', 'the connection failed before its answer was here', { cause })
        : new ProviderFault('not-accepted', 'it could not be reached', { cause }),
    );
  }

  private refusal(
    call: ProviderCall,
    status: number,
    headers: IncomingHttpHeaders,
    body: unknown,
  ): ProviderFault {
    const refusal = refusalIn(status, body);
    const bare = outcomeOf(status, headers['retry-after'] !== undefined);
    const outcome = this.options.judge?.(refusal) ?? bare;
    return this.logged(
      call,
      new ProviderFault(outcome, [`it answered ${status}`, ...refusal.codes].join(' '), {
        status,
        pauseMs: pauseMsIn(status, headers),
        tokens: outcome === 'too-long' ? tokensIn(refusal.message) : undefined,
      }),
      // In the last case, the status blames the caller, but `judge` found another cause.
      isOperatorTrouble(status) ||
        outcome === 'empty-account' ||
        (bare === 'refused' && outcome === 'not-accepted'),
    );
  }

  /** Callers do not see these failures, so the log must contain them. Paths contain only ids and names of models. */
  private logged(
    { method, path, signal, isLoggedByCaller = false }: ProviderCall,
    fault: ProviderFault,
    isForOperators = false,
  ): ProviderFault {
    if (isLoggedByCaller) return fault;
    const fields = { err: fault, provider: this.options.name, call: `${method} ${path.split('?', 1)[0]}` };
    if (isForOperators) {
      this.logger.error(fields, 'A provider refuses our key, our account or our route; check the settings.');
    } else if (!signal.aborted || fault.outcome !== 'unknown') {
      this.logger.warn(fields, 'A call to a provider failed.');
    }
    return fault;
  }
}

const isGood = (status: number): boolean => status >= 200 && status < 300;

const parsed = (bytes: Buffer): unknown => jsonIn(bytes.toString('utf8'));

interface SentBody {
  readonly body?: string | Buffer;
  readonly type?: string;
}

interface SignedBody {
  readonly body?: string | Buffer | undefined;
  readonly headers: Record<string, string>;
}

const bodyOf = async ({ json, form, urlencoded }: ProviderCall): Promise<SentBody> => {
  if (urlencoded !== undefined)
    return { body: urlencoded.toString(), type: 'application/x-www-form-urlencoded' };
  if (form !== undefined) return bodyOfForm(form);
  return json === undefined ? {} : { body: JSON.stringify(json), type: 'application/json' };
};

const bodyOfForm = async (form: FormData): Promise<SentBody> => {
  const written = new Response(form);
  const type = written.headers.get('content-type') ?? '';
  return { body: Buffer.from(await written.arrayBuffer()), type };
};

/** Reads the body of an error answer for its codes and its message. If the body can't be read, the status is enough. */
const readJson = async (body: StreamedBody): Promise<unknown> => {
  try {
    return parsed(await readUpTo(body, ERROR_BYTES_MAX));
  } catch {
    body.stop();
    return undefined;
  }
};
