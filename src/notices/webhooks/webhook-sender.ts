import type { Readable } from 'node:stream';

import { Injectable } from '@nestjs/common';

import { Clock } from '#kernel/clock';
import { PublishedKeys } from '#platform/config/published-keys';
import { SsrfGuard } from '#platform/http/outgoing/ssrf-guard';
import { RefusedAddress } from '#platform/http/outgoing/address-check';
import { ANSWER_MAX, type Exchange, PAYLOAD_MAX, plainHeaders, plainText } from './webhook-exchange';
import { retryAfterOf } from './retry-schedule';
import { WEBHOOK_KEYS, signedHeaders } from './webhook-signature';
import { SEND_MS_MAX, ANSWER_BYTES_READ_MAX } from './webhook-limits';

const GONE = 410;

export interface Message {
  readonly id: string;
  readonly url: string;
  readonly body: string;
  readonly secrets: readonly Buffer[];
}

/** The outcome of one try. */
export interface Attempt {
  readonly outcome: 'delivered' | 'refused' | 'gone';
  /** Absent if the receiver did not answer. */
  readonly status?: number;
  /** The reason why there is no answer. */
  readonly error?: string;
  readonly retryAfterSeconds?: number;
}

/** One try: its outcome, and the data that were exchanged. */
export interface Tried {
  readonly attempt: Attempt;
  readonly exchange: Exchange;
}

/**
 * Sends one message once, to an address that a caller named. It reaches public hosts only, with limits on everything.
 */
@Injectable()
export class WebhookSender {
  constructor(
    private readonly calls: SsrfGuard,
    private readonly keys: PublishedKeys,
    private readonly clock: Clock,
  ) {}

  /** Never fails. `onSent` is called when the first byte is about to leave, or not at all. */
  async send({ id, url, body, secrets }: Message, onSent?: () => void): Promise<Tried> {
    const signal = AbortSignal.timeout(SEND_MS_MAX);
    const timestamp = Math.floor(this.clock.now().getTime() / 1_000);
    const started = performance.now();
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Lamppost/1 (webhooks)',
      'accept-encoding': 'identity',
      ...signedHeaders({ id, timestamp, body }, secrets, this.keys.of(WEBHOOK_KEYS)),
    };
    const exchangeOf = (received: Exchange['received'], answerBody: string): Exchange => ({
      durationMs: Math.round(performance.now() - started),
      payload: plainText(body, PAYLOAD_MAX),
      sent: headers,
      received,
      body: answerBody,
    });
    try {
      const answer = await this.calls.ask(this.calls.targetOf(url), {
        method: 'POST',
        headers,
        body,
        signal,
        headersMsMax: SEND_MS_MAX,
        onSent,
      });
      const answerBody = plainText(await drain(answer.body), ANSWER_MAX);
      return {
        attempt: this.judged(answer.status, answer.headers['retry-after']),
        exchange: exchangeOf(plainHeaders(answer.headers), answerBody),
      };
    } catch (error) {
      return {
        attempt: { outcome: 'refused', error: reasonOf(error, signal) },
        exchange: exchangeOf({}, ''),
      };
    }
  }

  private judged(status: number, retryAfter: string | undefined): Attempt {
    if (status >= 200 && status < 300) return { outcome: 'delivered', status };
    if (status === GONE) return { outcome: 'gone', status };
    return { outcome: 'refused', status, retryAfterSeconds: retryAfterOf(retryAfter, this.clock.now()) };
  }
}

/**
 * The status decides. A part of the body is read so that the connection can be used again, and its beginning is
 * returned.
 */
const drain = async (answer: Readable): Promise<string> => {
  let bytes = 0;
  const first: Buffer[] = [];
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      if (bytes < ANSWER_MAX) first.push(chunk);
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_READ_MAX) break;
    }
  } catch {
    // The body was cut off, or too slow.
  } finally {
    answer.destroy();
  }
  return Buffer.concat(first).subarray(0, ANSWER_MAX).toString('utf8');
};

/** Describes an error to the owner of the address, without revealing how a name resolved. */
const reasonOf = (error: unknown, signal: AbortSignal): string => {
  if (error instanceof RefusedAddress) return error.message;
  if (signal.aborted) return `it took longer than ${SEND_MS_MAX / 1_000} seconds`;
  const { code = '' } = error as { code?: string };
  return /CERT|SELF_SIGNED|TLS|SSL|UNABLE_TO/.test(code)
    ? 'the certificate of its host is not valid'
    : 'its host did not answer, or broke off';
};
