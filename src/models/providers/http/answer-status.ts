import type { IncomingHttpHeaders } from 'node:http';

import { fieldsOf, itemsOf, textOf } from './json-fields';
import type { FaultOutcome } from './provider-fault';

/** Whether our key, our bill or our route is wrong. Only an operator can correct these. */
export const isOperatorTrouble = (status: number): boolean =>
  [301, 302, 303, 307, 308, 401, 402, 403, 404, 405, 410].includes(status);

/** The effect of an error status on the work. A 503 means "not accepted" only with `Retry-After`. */
export const outcomeOf = (status: number, hasRetryAfter: boolean): FaultOutcome => {
  if (status === 402) return 'empty-account';
  if (isOperatorTrouble(status) || status === 425 || status === 429) return 'not-accepted';
  if (status === 503 && hasRetryAfter) return 'not-accepted';
  // 529 is not a standard status. Several vendors send it if they are overloaded and did not accept the work.
  if (status === 529) return 'not-accepted';
  // After a timeout (408), or if it already has the request (409), the vendor may still do the work.
  if (status === 408 || status === 409) return 'unknown';
  return status >= 400 && status < 500 ? 'refused' : 'unknown';
};

/** The statuses of a rate limit or an overload. Only with these may a vendor name a time to wait. */
const BUSY: ReadonlySet<number> = new Set([429, 503, 529]);

/**
 * The time to wait that the vendor named: in `retry-after-ms` (OpenAI), or in the standard `retry-after`, which has
 * seconds or a date.
 */
export const pauseMsIn = (status: number, headers: IncomingHttpHeaders): number | undefined => {
  if (!BUSY.has(status)) return undefined;
  const milliseconds = Number.parseFloat(String(headers['retry-after-ms'] ?? ''));
  if (milliseconds >= 0) return milliseconds;
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return ms >= 0 ? ms : undefined;
};

/** The codes of an error answer. The log gets only these codes, because the vendor's sentences may quote prompts. */
export const codesIn = (value: unknown): readonly string[] => {
  const answer = fieldsOf(value);
  const error = fieldsOf(answer['error']);
  const details = itemsOf(answer['detail']).map((detail) => fieldsOf(detail)['type']);
  const codes = [error['code'], error['type'], error['status'], answer['code'], answer['type']];
  return [...codes, answer['error_type'], ...details]
    .filter((code): code is string => typeof code === 'string' && /^[\w.-]{1,60}$/.test(code))
    .slice(0, 5);
};

/** A vendor's error answer. */
export interface Refusal {
  readonly status: number;
  readonly codes: readonly string[];
  /**
   * The vendor's sentence, which may quote the caller. `judge` compares only its beginning. The service never logs the
   * sentence of a call, and never passes it on.
   */
  readonly message: string;
}

export const refusalIn = (status: number, value: unknown): Refusal => {
  const { error, message } = fieldsOf(value);
  return {
    status,
    codes: codesIn(value),
    message: textOf(fieldsOf(error)['message']) ?? textOf(error) ?? textOf(message) ?? '',
  };
};
