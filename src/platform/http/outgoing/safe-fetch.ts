import { type Readable, Transform } from 'node:stream';

import { Injectable } from '@nestjs/common';

import { eitherAborted } from '#kernel/abort';
import { AppError, InvalidRequest } from '#kernel/app-error';
import { withErrorListener } from '#kernel/with-error-listener';
import { SsrfGuard } from './ssrf-guard';
import type { OutgoingAnswer } from './outgoing';
import { type FetchTarget, InvalidAddress, RefusedAddress } from './address-check';
import { MediaTooLarge, MediaUnreachable } from './safe-fetch.errors';

const REDIRECTS_MAX = 3;
const TIMEOUT_MS = 15_000;
/** The limit of the whole fetch usually ends the wait earlier. */
const HEADERS_MS_MAX = 60_000;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const HEADERS = {
  accept: 'image/*, video/*, */*;q=0.5',
  // A compressed answer could unpack to far more than its limit.
  'accept-encoding': 'identity',
  'user-agent': 'Lamppost/1 (media fetcher)',
};

export interface FetchOptions {
  readonly maxBytes: number;
  /** The time from the call to the last byte of the body. */
  readonly timeoutMs?: number;
  /** The caller's own abort signal, which may end the fetch before the time limit. */
  readonly signal?: AbortSignal;
  /** The caller's field that named the address; errors contain it. */
  readonly param?: string;
  /** Also accepts http addresses. A redirect never goes from https to http. */
  readonly plainHttp?: boolean;
  /** Sent only to the first address's origin, because a redirect to another host must not get our key. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Fetched {
  readonly status: number;
  /** The media type that the server claims. Other code trusts only the bytes. */
  readonly mime: string;
  /** Fails with the same errors as `open`: too large, too late, or cut off. */
  readonly stream: Readable;
  readonly finalUrl: string;
}

const headerOf = ({ headers }: OutgoingAnswer, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
};

const mimeOf = (answer: OutgoingAnswer): string => {
  const [type = ''] = (headerOf(answer, 'content-type') ?? '').toLowerCase().split(';');
  return /^[a-z0-9][a-z0-9.+-]{0,60}\/[a-z0-9][a-z0-9.+-]{0,60}$/.test(type.trim())
    ? type.trim()
    : 'application/octet-stream';
};

/** Fetches an address that a caller named. */
@Injectable()
export class SafeFetch {
  constructor(private readonly calls: SsrfGuard) {}

  /** Refuses an address that `open` would never call. It sends no request. */
  check(url: string, { param, plainHttp }: Pick<FetchOptions, 'param' | 'plainHttp'>): void {
    try {
      this.calls.targetOf(url, undefined, plainHttp);
    } catch (error) {
      throw this.explain(error, new AbortController().signal, TIMEOUT_MS, param);
    }
  }

  /** The caller must read the stream or destroy it. Otherwise the stream ends at the time limit. */
  async open(url: string, options: FetchOptions): Promise<Fetched> {
    const { timeoutMs = TIMEOUT_MS, param } = options;
    const timeUp = new AbortController();
    const timer = setTimeout(() => timeUp.abort(), timeoutMs);
    const explain = (error: unknown): AppError => this.explain(error, timeUp.signal, timeoutMs, param);
    try {
      const { answer, target } = await this.follow(
        this.calls.targetOf(url, undefined, options.plainHttp),
        eitherAborted(timeUp.signal, options.signal),
        options,
      );
      const stream = this.meter(answer, options, explain);
      stream.once('close', () => clearTimeout(timer));
      target.url.hash = '';
      return { status: answer.status, mime: mimeOf(answer), stream, finalUrl: target.url.href };
    } catch (error) {
      clearTimeout(timer);
      throw explain(error);
    }
  }

  private async follow(
    first: FetchTarget,
    signal: AbortSignal,
    { headers, plainHttp }: FetchOptions,
  ): Promise<{ answer: OutgoingAnswer; target: FetchTarget }> {
    let target = first;
    let sent: Readonly<Record<string, string>> = { ...HEADERS, ...headers };
    for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
      // The caller's headers stay away even if a later redirect leads back to the first origin.
      if (target.url.origin !== first.url.origin) sent = HEADERS;
      const answer = await this.calls.ask(target, {
        method: 'GET',
        headers: sent,
        signal,
        headersMsMax: HEADERS_MS_MAX,
      });
      const { status } = answer;
      if (status >= 200 && status < 300) {
        return { answer, target };
      }
      const location = REDIRECTS.has(status) ? headerOf(answer, 'location') : undefined;
      answer.body.destroy();
      if (location === undefined) {
        throw new RefusedAddress(`its host answered with status ${status}`);
      }
      target = this.calls.targetOf(location, target.url, plainHttp);
    }
    throw new RefusedAddress(`it redirects more than ${REDIRECTS_MAX} times`);
  }

  /** Enforces the limit on the received bytes, because an announced length proves nothing. */
  private meter(
    answer: OutgoingAnswer,
    options: FetchOptions,
    explain: (error: unknown) => AppError,
  ): Readable {
    const { maxBytes, param } = options;
    const { body } = answer;
    const encoding = headerOf(answer, 'content-encoding') ?? 'identity';
    const announced = Number(headerOf(answer, 'content-length') ?? 0);
    if (encoding !== 'identity' || announced > maxBytes) {
      body.destroy();
      throw encoding === 'identity'
        ? new MediaTooLarge(maxBytes, { param })
        : new RefusedAddress('its host sends it compressed, though that was not asked for');
    }
    let bytes = 0;
    const meter = withErrorListener(
      new Transform({
        transform(chunk: Buffer, _encoding, done) {
          bytes += chunk.length;
          done(bytes > maxBytes ? new MediaTooLarge(maxBytes, { param }) : null, chunk);
        },
      }),
    );
    meter.once('close', () => body.destroy());
    body.on('error', (error) => meter.destroy(explain(error)));
    // A body that breaks off emits an error only if it has a listener. Without one it only closes, so this code checks
    // the close.
    body.once('close', () => body.readableEnded || meter.destroy(explain(new Error('cut off'))));
    return body.pipe(meter);
  }

  private explain(error: unknown, signal: AbortSignal, timeoutMs: number, param?: string): AppError {
    if (error instanceof AppError) {
      return error;
    }
    const context = { param, cause: error };
    if (error instanceof InvalidAddress) {
      return new InvalidRequest(
        `${param ?? 'The file'} is neither an https address nor a data URI.`,
        context,
      );
    }
    if (error instanceof RefusedAddress) {
      return new MediaUnreachable(error.message, context);
    }
    if (signal.aborted) {
      return new MediaUnreachable(`it took longer than ${timeoutMs / 1_000} seconds`, context);
    }
    const { code = '' } = error as { code?: string };
    return new MediaUnreachable(
      /CERT|SELF_SIGNED|TLS|SSL|UNABLE_TO/.test(code)
        ? 'the certificate of its host is not valid'
        : 'its host did not answer, or broke off',
      context,
    );
  }
}
