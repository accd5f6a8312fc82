import type { TakenLine } from './batch-line.repository';

const idOf = ({ batchId, line }: Pick<TakenLine, 'batchId' | 'line'>): string => `${batchId}_req_${line}`;

/** A line of an answer file, in the shape of OpenAI's. */
export const answerLine = (
  line: TakenLine,
  {
    status,
    requestId,
    body,
  }: { readonly status: number; readonly requestId: string; readonly body: unknown },
): string =>
  JSON.stringify({
    id: idOf(line),
    custom_id: line.customId,
    response: { status_code: status, request_id: requestId, body },
    error: null,
  });

/** The reason why a call is given up. */
export type GivenUp = readonly [code: 'file_line_missing' | 'server_error', message: string];

export const FAILED_HERE: GivenUp = [
  'server_error',
  'This call failed here each time. It was not charged, or it was refunded.',
];
/** An earlier try may have been charged before its process died. */
export const LINE_MISSING: GivenUp = [
  'file_line_missing',
  'The line of this call cannot be read any more. It was not charged, or it was refunded.',
];

/** The answer line of a call that could not run at all. */
export const failedLine = (line: TakenLine, [code, message]: GivenUp): string =>
  JSON.stringify({ id: idOf(line), custom_id: line.customId, response: null, error: { code, message } });

/** The answer line of a call that did not begin before the end of the day. */
export const expiredLine = (line: TakenLine): string =>
  JSON.stringify({
    id: idOf(line),
    custom_id: line.customId,
    response: null,
    error: {
      code: 'batch_expired',
      message: 'This call could not run before the completion window was over. It was not charged.',
    },
  });
