import { csvLine } from '#kernel/csv';
import { usdText } from '#kernel/money';
import type { LoggedCall, LogPosition } from './request-log.repository';

export const CSV_PAGE = 1_000;
/** The most rows of a file. A larger file would be useless in a spreadsheet, and would need a read of the whole log. */
export const CSV_LINES_MAX = 100_000;
/** The most reads for a file. Each scans some thousand rows, so a rare filter does not read the whole log. */
export const CSV_READS_MAX = 150;
export const CSV_COLUMNS = [
  'at',
  'status',
  'httpStatus',
  'code',
  'operation',
  'model',
  'key',
  'keyId',
  'member',
  'tag',
  'ms',
  'inputTokens',
  'outputTokens',
  'medium',
  'seconds',
  'costUsd',
  'chargeId',
  'jobId',
  'id',
  'session',
] as const;

/** The last line of a file that ends before the end of the log. */
export const notSearchedLine = ({ at }: LogPosition): string => {
  const time = new Date(Number(BigInt(at) / 1_000n)).toISOString();
  const cells: Partial<Record<(typeof CSV_COLUMNS)[number], string>> = {
    at: time,
    code: 'OLDER_NOT_SEARCHED',
  };
  return csvLine(CSV_COLUMNS.map((column) => cells[column] ?? ''));
};

export const requestLine = (call: LoggedCall, { showsMembers }: { readonly showsMembers: boolean }): string =>
  csvLine([
    call.time.toISOString(),
    call.status,
    call.httpStatus ?? '',
    call.code ?? '',
    call.operation ?? '',
    call.modelId ?? '',
    call.keyName ?? '',
    call.keyId ?? '',
    (showsMembers ? (call.memberEmail ?? call.memberId) : undefined) ?? '',
    call.tag ?? '',
    call.ms ?? '',
    call.inputTokens ?? '',
    call.outputTokens ?? '',
    call.medium?.kind ?? '',
    call.medium?.seconds ?? '',
    usdText(call.cost),
    call.chargeId ?? '',
    call.jobId ?? '',
    call.id,
    call.session ?? '',
  ]);
