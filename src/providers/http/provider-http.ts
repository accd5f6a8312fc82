import type { Agent } from 'node:http';
import type { Readable } from 'node:stream';

import { Logger } from '@nestjs/common';

import { withoutAbsent } from '../../kernel/present';
import { agentFor, outgoing, type OutgoingAnswer } from '../../platform/http/outgoing/outgoing';
import { readUpTo } from '../../platform/http/outgoing/read-up-to';
import { codesIn, isOperatorTrouble, outcomeOf } from './answer-status';
import { type FaultOutcome, ProviderFault } from './provider-fault';

const MEGABYTE = 1024 * 1024;
const CONNECTIONS_MAX = 512;
const CONNECT_MS_MAX = 5_000;
const HEADERS_MS_MAX = 30_000;
/** Between two pieces of a body. */
const BODY_MS_MAX = 60_000;
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
  private readonly agent: Agent;

  constructor(private readonly options: ProviderHttpOptions) {
    this.base = new URL(`${options.baseUrl.replace(/\/+$/, '')}/`);
    this.agent = agentFor(this.base, CONNECTIONS_MAX);
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
    const { status, headers, body } = await this.send(call);
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
    this.agent.destroy();
    return Promise.resolve();
  }

  private async send(call: ProviderCall): Promise<OutgoingAnswer> {
    const { method, path, signal, headersMsMax } = call;
    let sent = false;
    try {
      const { body, type } = await bodyOf(call);
      return await outgoing({
        method,
        url: new URL(`${this.base.pathname}${path.replace(/^\/+/, '')}`, this.base),
        headers: withoutAbsent({
          accept: 'application/json',
          ...this.options.headers,
          ...call.headers,
          'content-type': type,
        }),
        body,
        signal,
        agent: this.agent,
        connectMsMax: CONNECT_MS_MAX,
        headersMsMax: headersMsMax ?? HEADERS_MS_MAX,
        silenceMsMax: BODY_MS_MAX,
        onSent: () => {
          sent = true;
        },
      });
    } catch (error) {
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

interface SentBody {
  readonly body?: string | Buffer;
  readonly type?: string;
}

const bodyOf = async ({ json, form }: ProviderCall): Promise<SentBody> => {
  if (form === undefined) {
    return json === undefined ? {} : { body: JSON.stringify(json), type: 'application/json' };
  }
  const written = new Response(form);
  const type = written.headers.get('content-type') ?? '';
  return { body: Buffer.from(await written.arrayBuffer()), type };
};

/** An error answer is read for its codes only; without them its status says enough. */
const readJson = async (body: Readable): Promise<unknown> => {
  try {
    return JSON.parse((await readUpTo(body, ERROR_BYTES_MAX)).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
};
