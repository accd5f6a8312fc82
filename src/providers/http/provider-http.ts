import type { Readable } from 'node:stream';

import { Logger } from '@nestjs/common';
import { type Dispatcher, type FormData, Pool } from 'undici';

import { codesIn, isOperatorTrouble, outcomeOf } from './answer-status';
import { type FaultOutcome, ProviderFault } from './provider-fault';
import { notingSent } from './sent-note';

const MEGABYTE = 1024 * 1024;
const CONNECTIONS_MAX = 512;
const CONNECT_MS_MAX = 5_000;
const HEADERS_MS_MAX = 30_000;
/** Between two pieces of a body. */
const BODY_MS_MAX = 60_000;
const KEEP_ALIVE_MS = 10_000;
const ERROR_BYTES_MAX = 64 * 1024;

export interface ProviderHttpOptions {
  /** For the log. */
  readonly name: string;
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Where a vendor's own codes say more than the status does. */
  readonly judge?: (status: number, codes: readonly string[]) => FaultOutcome | undefined;
}

export interface ProviderCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base address. */
  readonly path: string;
  readonly signal: AbortSignal;
  readonly json?: unknown;
  readonly form?: FormData;
  readonly headers?: Readonly<Record<string, string>>;
  readonly headersMsMax?: number;
  readonly bytesMax?: number;
}

/** Speaks HTTP with one provider, and says of each failure what it means for the work. */
export class ProviderHttp {
  /** Addresses that a provider names are followed only below it. */
  readonly base: URL;
  private readonly logger = new Logger(ProviderHttp.name);
  private readonly pool: Pool;

  constructor(private readonly options: ProviderHttpOptions) {
    this.base = new URL(`${options.baseUrl.replace(/\/+$/, '')}/`);
    this.pool = new Pool(this.base.origin, {
      connections: CONNECTIONS_MAX,
      connect: { timeout: CONNECT_MS_MAX },
      headersTimeout: HEADERS_MS_MAX,
      bodyTimeout: BODY_MS_MAX,
      keepAliveTimeout: KEEP_ALIVE_MS,
    });
  }

  /** The JSON of a success. Throws `ProviderFault` for everything else, also for a success that can't be read. */
  async json(call: ProviderCall): Promise<unknown> {
    const body = await this.open(call);
    let bytes: Buffer;
    try {
      bytes = await readUpTo(body, call.bytesMax ?? MEGABYTE);
    } catch (error) {
      throw this.told(call, new ProviderFault('unknown', 'its answer broke off', { cause: error }));
    }
    try {
      return JSON.parse(bytes.toString('utf8')) as unknown;
    } catch {
      throw this.told(call, new ProviderFault('unknown', 'its answer is no JSON'));
    }
  }

  /** The body of a success as it comes. Must be read to its end or destroyed. */
  async open(call: ProviderCall): Promise<Readable> {
    const { statusCode: status, headers, body } = await this.send(call);
    if (status >= 200 && status < 300) {
      return body;
    }
    const codes = codesIn(await readJson(body));
    const outcome =
      this.options.judge?.(status, codes) ?? outcomeOf(status, headers['retry-after'] !== undefined);
    const why = [`it answered ${status}`, ...codes].join(' ');
    throw this.told(call, new ProviderFault(outcome, why, { status }));
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }

  private async send(call: ProviderCall): Promise<Dispatcher.ResponseData> {
    const { method, path, signal, json, form, headersMsMax } = call;
    let sent = false;
    const dispatcher = this.pool.compose(
      notingSent(() => {
        sent = true;
      }),
    );
    const answer = dispatcher.request({
      method,
      path: `${this.base.pathname}${path.replace(/^\/+/, '')}`,
      headers: {
        accept: 'application/json',
        ...this.options.headers,
        ...call.headers,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: form ?? (json === undefined ? null : JSON.stringify(json)),
      signal,
      ...(headersMsMax === undefined ? {} : { headersTimeout: headersMsMax }),
    });
    try {
      // Undici hears the signal only once it has a connection.
      return await Promise.race([answer, aborted(signal)]);
    } catch (error) {
      answer.then(({ body }) => body.destroy()).catch(() => undefined);
      const fault = sent
        ? new ProviderFault('unknown', 'the connection failed after the request was sent', { cause: error })
        : new ProviderFault('not-accepted', 'it could not be reached', { cause: error });
      throw this.told(call, fault);
    }
  }

  /** Callers learn nothing of this, so the log must. Paths hold only names of models and ids. */
  private told({ method, path, signal }: ProviderCall, fault: ProviderFault): ProviderFault {
    const fields = { err: fault, provider: this.options.name, call: `${method} ${path}` };
    if (fault.status !== undefined && isOperatorTrouble(fault.status)) {
      this.logger.error(fields, 'A provider refuses our key, our bill or our route; look at the settings.');
    } else if (!signal.aborted || fault.outcome !== 'unknown') {
      this.logger.warn(fields, 'A call to a provider failed.');
    }
    return fault;
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });

const readUpTo = async (body: Readable, bytesMax: number): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new RangeError(`more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** An error answer is read for its codes only; without them its status says enough. */
const readJson = async (body: Readable): Promise<unknown> => {
  try {
    return JSON.parse((await readUpTo(body, ERROR_BYTES_MAX)).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
};
