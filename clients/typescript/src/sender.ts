import { type Ending, TryDeadline } from './deadline.ts';
import { type Known, LamppostError, NoAnswer, refusalOf } from './errors.ts';
import { pause } from './pause.ts';

export type Headers = Readonly<Record<string, string>>;

/** The reason and the pause of a retry. */
export interface Retry {
  readonly method: string;
  readonly path: string;
  /** The number of tries so far. */
  readonly tried: number;
  readonly waitMs: number;
  /** The refusal of the service, or the reason why there is no answer. */
  readonly reason: Error;
  /** Whether this is a wait, which goes on until its caller ends it. */
  readonly isWait: boolean;
}

/** One line for your log. It contains no key, no prompt and no answer. */
export interface LogEntry {
  readonly type: 'answered' | 'retry' | 'failed';
  readonly method: string;
  readonly path: string;
  readonly tried: number;
  readonly ms: number;
  readonly status?: number;
  readonly waitMs?: number;
  readonly reason?: string;
}

/** The caller's sending options of one call. */
export interface Patience {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly tries?: number | undefined;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Called with each answer, such as for its status and its headers. Its body belongs to the call. */
  readonly onResponse?: ((response: Response) => void) | undefined;
}

export interface Request extends Patience {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object | undefined;
  /** A file. It goes in a form with the fields of the body. */
  readonly file?: Blob | undefined;
  /** Whether the answer is a file instead of JSON. */
  readonly isFile?: boolean;
  readonly headers?: Headers | undefined;
  /** Whether the request may be redirected: only without a credential. */
  readonly follows?: boolean;
  /** A field of every answer of the route, or a check of its body. Any other answer is from another server. */
  readonly has?: string | ((body: object) => boolean);
  /**
   * A wait goes on until its caller ends it, however long the service is away. `known` if the service has answered
   * before: then it also outlasts pages of other servers.
   */
  readonly waits?: 'new' | 'known' | undefined;
  /** The known facts of the call, for its errors. */
  readonly known?: Known | undefined;
}

export interface Answer<Body> {
  readonly body: Body;
  readonly headers: globalThis.Headers;
}

export interface SenderSettings {
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly tries: number | undefined;
  readonly credentials: RequestInit['credentials'];
  /** Headers for the service, such as those of a gateway. */
  readonly headers: Headers | undefined;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  readonly log?: ((entry: LogEntry) => void) | undefined;
}

const PAUSE_MS = 250;
const PAUSE_MS_MAX = 10_000;
/** The time after the first failure of a call in which further tries begin. */
const PATIENCE_MS = 60_000;
/** The tries of a call that costs nothing. */
const FREE_TRIES = 6;
/** A wait reports an absence that is longer than this. */
const SAID_MS = 2_000;
/** The longest pause of a wait between two tries, whatever a server asks for. */
const WAIT_PAUSE_MS_MAX = 60_000;
/** A server that asks for a longer pause than a day means no pause. */
const ASKED_MS_MAX = 86_400_000;

/**
 * Calls the service. If the connection breaks, it sends the same call again. This is safe, because paid calls have an
 * Idempotency-Key.
 */
export class Sender {
  constructor(
    readonly baseUrl: URL,
    private readonly settings: SenderSettings,
  ) {}

  urlOf({ path, query = {} }: Pick<Request, 'path' | 'query'>): URL {
    const url = new URL(path.replace(/^\//, ''), this.baseUrl);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url;
  }

  /** The header of a long poll, which must end before its timeout does. */
  waiting(most: number, timeoutMs = this.settings.timeoutMs): Headers {
    return { Prefer: `wait=${Math.floor(Math.min(most, timeoutMs / 2_000))}` };
  }

  /** Reads a whole answer in JSON. If the answer breaks off, it sends the request again. */
  json<Body>(request: Request): Promise<Answer<Body>> {
    return this.repeat(request, async (response, deadline) => {
      const { headers } = response;
      try {
        if (request.isFile === true) return { body: (await fileOf(response)) as Body, headers };
        const body: unknown = await response.json();
        const { has = '' } = request;
        const isOurs = (object: object): boolean =>
          typeof has === 'string' ? has in { '': 0, ...object } : has(object);
        if (typeof body === 'object' && body !== null && isOurs(body)) return { body: body as Body, headers };
        throw new TypeError('it answered with JSON that no route has');
      } catch (error) {
        const type = headers.get('content-type') ?? 'nothing';
        if (!(error instanceof SyntaxError)) throw error;
        throw new TypeError(`it answered with ${type} instead of JSON, as other servers and proxies do`, {
          cause: error,
        });
      } finally {
        deadline.end();
      }
    });
  }

  /** A successful answer whose body was not read yet. While the body is read, the timeout applies to each pause. */
  open(request: Request): Promise<Response> {
    return this.repeat(request, (response, deadline) => Promise.resolve(deadline.watching(response)));
  }

  /** Reads a whole file. If the file breaks off, or is the page of another server, it sends the request again. */
  blob(request: Request): Promise<Blob> {
    return this.repeat(request, (response, deadline) => fileOf(deadline.watching(response)));
  }

  private async repeat<T>(
    request: Request,
    read: (response: Response, deadline: Ending) => Promise<T>,
  ): Promise<T> {
    const { method, path, signal, waits, headers } = request;
    const url = this.urlOf(request);
    // The addresses of media come from the service, and `fetch` of some platforms can read local files.
    if (!/^https?:$/.test(url.protocol)) throw new TypeError(`${url.protocol} is no way to reach a service`);
    // Invalid headers are no failure of the network, so they throw here.
    void new globalThis.Headers(headers);
    const known = { idempotencyKey: headers?.['Idempotency-Key'], ...request.known };
    const isWait = waits !== undefined;
    const usual = this.settings.tries ?? (known.idempotencyKey === undefined ? FREE_TRIES : Infinity);
    const tries = request.tries ?? (isWait ? Infinity : usual);
    const began = Date.now();
    const log = (entry: Pick<LogEntry, 'type' | 'tried'> & Partial<LogEntry>): void =>
      this.settings.log?.({ method, path, ms: Date.now() - began, ...entry });
    const onRetry = request.onRetry ?? this.settings.onRetry;
    let isSaid = onRetry !== undefined || this.settings.log !== undefined;
    let failedAt: number | undefined;
    let wasSilent = false;
    for (let tried = 1; ; tried += 1) {
      let reason: LamppostError | NoAnswer;
      let askedMs = 0;
      try {
        const { response, deadline } = await this.once(request);
        request.onResponse?.(response);
        if (response.ok) {
          const answer = await read(response, deadline);
          log({ type: 'answered', tried, status: response.status });
          return answer;
        }
        reason = await refusalOf(response, url).finally(() => deadline.end());
        askedMs = retryAfterMs(response);
        if (isWait) askedMs = Math.min(askedMs, WAIT_PAUSE_MS_MAX);
      } catch (error) {
        signal?.throwIfAborted();
        reason = new NoAnswer(undefined, error, url);
      }
      reason.know(known);
      const isStrange = reason instanceof NoAnswer;
      if (reason instanceof LamppostError) reason.followsSilence = wasSilent;
      wasSilent ||= isStrange;
      failedAt ??= Date.now();
      const goneMs = Date.now() - failedAt;
      const leftMs = isWait ? Infinity : PATIENCE_MS - goneMs;
      const passes = (waits === 'known' && isStrange) || isPassing(reason);
      if (!passes || tried >= tries || leftMs <= 0 || askedMs > leftMs) {
        const { status } = reason;
        log({ type: 'failed', tried, reason: reason.message, ...(status !== undefined && { status }) });
        throw reason;
      }
      const waitMs = Math.max(askedMs, Math.min(pauseAfter(tried), leftMs));
      log({ type: 'retry', tried, waitMs, reason: reason.message });
      onRetry?.({ method, path, tried, waitMs, reason, isWait });
      if (isWait && !isSaid && goneMs >= SAID_MS) {
        isSaid = true;
        // eslint-disable-next-line eslint/no-console -- People must see why the program waits.
        console.warn(`lamppost: waiting until the service answers. ${reason.message}`);
      }
      await pause(waitMs, signal);
    }
  }

  private async once(
    request: Request,
  ): Promise<{ readonly response: Response; readonly deadline: TryDeadline }> {
    const { method, body, file, follows, signal, timeoutMs = this.settings.timeoutMs } = request;
    const url = this.urlOf(request);
    // A file may be at any address, so it gets no header of the caller.
    const headers = new globalThis.Headers(follows === true ? undefined : this.settings.headers);
    const own = { ...(body && !file && { 'content-type': 'application/json' }), ...request.headers };
    for (const [name, value] of Object.entries(own)) headers.set(name, value);
    const deadline = new TryDeadline(timeoutMs, signal);
    try {
      const response = await this.settings.fetch(url, {
        method,
        headers,
        signal: deadline.signal,
        redirect: follows === true ? 'follow' : 'manual', // A credential is sent to no other host.
        ...(body && { body: file ? formOf(body, file) : JSON.stringify(body) }),
        ...(this.settings.credentials && { credentials: this.settings.credentials }),
      });
      return { response, deadline };
    } catch (error) {
      deadline.end();
      throw error;
    }
  }
}

const fileOf = async (response: Response): Promise<Blob> => {
  const blob = await response.blob();
  if (blob.size === 0 || blob.type.startsWith('text/html'))
    throw new TypeError('another server has answered');
  return blob;
};

const formOf = (body: object, file: Blob): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) if (value !== undefined) form.append(name, String(value));
  form.append('file', file, 'file');
  return form;
};

/**
 * Whether a failure may be temporary, including that an earlier try of the same call still runs. The client does not
 * retry failed work, because it would probably fail again, and be charged and refunded each time. A redirect or a page
 * with 4xx of another server usually stays.
 */
const isPassing = (reason: LamppostError | NoAnswer): boolean =>
  reason instanceof NoAnswer
    ? !(reason.status !== undefined && reason.status < 500 && reason.status !== 429)
    : reason.code !== 'PROVIDER_ERROR' && (reason.retryable || reason.code === 'IDEMPOTENCY_IN_FLIGHT');

const pauseAfter = (tried: number): number =>
  Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** (tried - 1)) * (0.5 + Math.random() / 2);

const retryAfterMs = ({ headers }: Response): number => {
  const text = headers.get('retry-after');
  if (text === null) return 0;
  const seconds = Number(text);
  const ms = Number.isNaN(seconds) ? Date.parse(text) - Date.now() : seconds * 1_000;
  return ms > 0 && ms <= ASKED_MS_MAX ? ms : 0;
};
