import type { IncomingHttpHeaders } from 'node:http';

/** The data that one try sent and received, cut to the limits. */
export interface Exchange {
  readonly durationMs: number;
  readonly payload: string;
  readonly sent: Readonly<Record<string, string>>;
  readonly received: Readonly<Record<string, string>>;
  readonly body: string;
}

export const PAYLOAD_MAX = 8_192;
export const ANSWER_MAX = 2_048;
const HEADERS_MAX = 20;
const HEADER_MAX = 200;

/** Headers of an answer that may carry a session of the receiver. */
const SECRET = /^(set-cookie|authorization|proxy-)/;

// Postgres stores no zero byte, and other control characters could mislead a terminal.
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Cleans a stranger's text, so that it can be shown as text. */
export const plainText = (text: string, max: number): string =>
  text.replace(CONTROLS, '').slice(0, max).toWellFormed();

/** The first headers of an answer, each cut to a limit. */
export const plainHeaders = (headers: IncomingHttpHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => value !== undefined && !SECRET.test(name))
      .slice(0, HEADERS_MAX)
      .map(([name, value]) => [plainText(name, HEADER_MAX), plainText(String(value), HEADER_MAX)]),
  );
