/** `refused`: no money was held. `failed`: the hold was released. */
export const REQUEST_STATUSES = ['ok', 'running', 'refused', 'failed', 'refunded'] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

export const statusOf = (row: string): string =>
  `case ${row}.state when 'charged' then 'ok' when 'refunded' then 'refunded' when 'released' then 'failed' else 'running' end`;

export const STATES_OF: Readonly<Record<RequestStatus, readonly string[]>> = {
  ok: ['charged'],
  running: ['held', 'settling'],
  refused: [],
  failed: ['released'],
  refunded: ['refunded'],
};
