import { type ChargeState, LamppostError, NoAnswer } from './errors.ts';

export type Headers = Readonly<Record<string, string>>;

export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
  readonly headers?: Headers;
  readonly signal?: AbortSignal;
  /** How long one try may take; the client's own setting when absent. */
  readonly timeoutMs?: number;
  /** Whether the address may send us on to another: only where no credential is sent. */
  readonly follows?: boolean;
}

export interface Answer<Body> {
  readonly body: Body;
  readonly headers: globalThis.Headers;
}

export interface SenderSettings {
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly tries: number;
  readonly credentials: RequestInit['credentials'];
}

const PAUSE_MS = 250;
const PAUSE_MS_MAX = 15_000;
/** Who is told to come back later than this is told so, instead of waiting. */
const RETRY_AFTER_MS_MAX = 60_000;

/** Speaks with the service. What breaks off is sent again as it was, which is safe: paid calls carry an Idempotency-Key. */
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

  /** An answer in JSON, read to its end: one that breaks off in the middle is asked for again. */
  json<Body>(request: Request): Promise<Answer<Body>> {
    return this.repeat(request, async (response) => ({
      body: (await response.json()) as Body,
      headers: response.headers,
    }));
  }

  /** A good answer whose body is still to be read. */
  open(request: Request): Promise<Response> {
    return this.repeat(request, (response) => Promise.resolve(response));
  }

  private async repeat<T>(request: Request, read: (response: Response) => Promise<T>): Promise<T> {
    const key = request.headers?.['Idempotency-Key'];
    for (let tried = 1; ; tried += 1) {
      const isLast = tried >= this.settings.tries;
      let waitMs = pauseAfter(tried);
      try {
        const response = await this.once(request);
        if (response.ok) return await read(response);
        const refusal = await refusalOf(response);
        const later = retryAfterMs(response);
        if (!isPassing(refusal) || isLast || later > RETRY_AFTER_MS_MAX) throw refusal;
        waitMs = Math.max(waitMs, later);
      } catch (error) {
        if (error instanceof LamppostError) throw error;
        request.signal?.throwIfAborted();
        if (isLast) throw new NoAnswer(key, error);
      }
      await pause(waitMs, request.signal);
    }
  }

  private once(request: Request): Promise<Response> {
    const { method, body, headers, signal, timeoutMs = this.settings.timeoutMs } = request;
    const ends = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
    return this.settings.fetch(this.urlOf(request), {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      signal: AbortSignal.any(ends),
      redirect: request.follows === true ? 'follow' : 'error', // A credential goes to nobody else.
      ...(body && { body: JSON.stringify(body) }),
      ...(this.settings.credentials && { credentials: this.settings.credentials }),
    });
  }
}

const refusalOf = async (response: Response): Promise<LamppostError> => {
  const text = await response.text();
  const state = (response.headers.get('x-charge-state') ?? undefined) as ChargeState | undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined; // Something between us and the service answered.
  }
  return new LamppostError(response.status, body, response.headers, state);
};

/** What may go well later: also while an earlier try of the very same call is still on its way. */
const isPassing = ({ retryable, code }: LamppostError): boolean =>
  retryable || code === 'IDEMPOTENCY_IN_FLIGHT';

const pauseAfter = (tried: number): number =>
  Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** (tried - 1)) * (0.5 + Math.random() / 2);

const retryAfterMs = ({ headers }: Response): number => {
  const text = headers.get('retry-after');
  if (text === null) return 0;
  const seconds = Number(text);
  return Number.isNaN(seconds) ? Math.max(0, Date.parse(text) - Date.now()) || 0 : seconds * 1_000;
};

export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
