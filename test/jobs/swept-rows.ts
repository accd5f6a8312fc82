/** The number of rows that always fail, in front of one that works. */
export const ROWS = 1_000;

/** Rows of a table that a statement of a sweep handles. A trigger makes the statement fail for all rows but the good one. */
export interface SweptCase {
  readonly processor: string;
  readonly step: string;
  /** The table with the trigger, and the statement that fires it. */
  readonly table: string;
  readonly on: 'delete' | 'insert' | 'update';
  /** The column that names the row. */
  readonly name: string;
  /** Writes the rows `a-bad-1` to `a-bad-1000`, and `a-good`, which is the newest. */
  readonly fill: string;
  /** Selects a row while the good one waits. */
  readonly waits: string;
}

export const IDS = `(select case when n > ${ROWS} then 'a-good' else 'a-bad-' || n end as id, n from generate_series(1, ${ROWS} + 1) n) as r`;
const WALLET = `'0x' || lpad(to_hex(n), 40, '0')`;
const BYTES = `'\\x${'0'.repeat(64)}'`;
const OLD = `now() - interval '90 days' + n * interval '1 second'`;

const swept = (
  processor: string,
  step: string,
  table: string,
  fill: string,
  more: Partial<SweptCase> = {},
): SweptCase => ({
  processor,
  step,
  table,
  fill,
  on: 'delete',
  name: 'id',
  waits: `select from ${table} where ${more.name ?? 'id'} like '%a-good'`,
  ...more,
});

const accounts = `insert into account (id, email, password_hash) select id, id || '@example.com', 'x' from ${IDS};`;

export const SWEPT: readonly SweptCase[] = [
  swept(
    'replay-sweep',
    'expired-replays',
    'replay',
    `insert into replay (charge_id, status, answer, expires_at) select id, 200, '\\x01', ${OLD} from ${IDS}`,
    { name: 'charge_id' },
  ),
  swept(
    'replay-sweep',
    'dead-calls',
    'call_underway',
    `insert into call_underway (id, caller, fingerprint, until) select id, 'acc_1', ${BYTES}, ${OLD} from ${IDS}`,
  ),
  swept(
    'call-note-retention',
    'old-call-notes',
    'call_note',
    `insert into call_note (id, owner, route, status, ms, attempts) select id, 'acc_1', 'POST /x', 400, 1, '[]' from ${IDS}`,
  ),
  swept(
    'call-note-retention',
    'old-refusal-counts',
    'refusal_count',
    `insert into refusal_count (owner, hour, code, calls) select id, ${OLD}, 'X', 1 from ${IDS}`,
    { name: 'owner' },
  ),
  swept(
    'call-note-retention',
    'old-call-sessions',
    'call_session',
    `insert into call_session (charge_id, owner, session, created_at) select id, 'acc_1', 'ss_1', ${OLD} from ${IDS}`,
    { name: 'charge_id' },
  ),
  swept(
    'oauth',
    'ended-oauth-rows',
    'oauth_row',
    `insert into oauth_row (kind, id_hash, payload, expires_at)
       select id, ${BYTES}, '{}', ${OLD} from ${IDS}`,
    { name: 'kind' },
  ),
  swept(
    'events',
    'old-events',
    'event',
    `insert into event (id, owner, type, data, created_at) select 'evt_' || id, 'acc_1', 'job.done', '{}', ${OLD} from ${IDS}`,
  ),
  swept(
    'events',
    'old-watermarks',
    'event_watermark',
    `insert into event_watermark (position, snapshot, lower, upper, seen_at) select n - 5000, id, 1, 1, ${OLD} from ${IDS};
     insert into event_watermark (position, snapshot, lower, upper, seen_at) values (-1, 'kept', 1, 1, now() - interval '89 days')`,
    { name: 'snapshot' },
  ),
  swept(
    'webhook-retention',
    'ended-endpoints',
    'webhook_endpoint',
    `insert into api_key (id, account_id, name, hash, prefix, deleted_at)
       select id, 'acc_1', id, sha256(id::bytea), 'lp_12', now() from ${IDS};
     insert into webhook_endpoint (id, owner, place, url, host, key_id) select id, id, 1, 'https://x.y', 'x.y', id from ${IDS}`,
  ),
  swept(
    'webhook-retention',
    'stray-deliveries',
    'webhook_delivery',
    `insert into webhook_delivery (target, event_id, type, owner, host, position, written, due_at)
       select id, id, 'job.done', 'acc_1', 'x.y', 1, 1, ${OLD} from ${IDS}`,
    { name: 'target' },
  ),
  swept(
    'webhook-retention',
    'old-deliveries',
    'webhook_delivery',
    `insert into webhook_delivery (target, event_id, type, owner, host, position, written, due_at, state, created_at)
       select id, id, 'job.done', 'acc_1', 'x.y', 1, 1, ${OLD}, 'delivered', ${OLD} from ${IDS}`,
    { name: 'target' },
  ),
  swept(
    'webhook-retention',
    'old-tries',
    'webhook_try',
    `insert into webhook_endpoint (id, owner, place, url, host) values ('whe', 'acc_1', 1, 'https://x.y', 'x.y');
     insert into webhook_try (id, target, event_id, type, duration_ms, payload, sent, received, body, at)
       select id, 'whe', 'evt', 'job.done', 1, '{}', '{}', '{}', '', ${OLD} from ${IDS}`,
  ),
  swept(
    'webhook-retention',
    'stray-tries',
    'webhook_try',
    `insert into webhook_try (id, target, event_id, type, duration_ms, payload, sent, received, body)
       select id, 'gone', 'evt', 'job.done', 1, '{}', '{}', '{}', '' from ${IDS}`,
  ),
  swept(
    'status-rollup',
    'old-model-hours',
    'model_hour',
    `insert into model_hour (at, model_id, kind, bucket, done, failed, is_final) select ${OLD}, id, 'image', 0, 1, 1, true from ${IDS}`,
    { name: 'model_id' },
  ),
  swept(
    'status-rollup',
    'unfinished-hours',
    'model_hour',
    `insert into model_hour (at, model_id, kind, bucket, done, failed, is_final)
       select date_trunc('hour', now()) - interval '9 days' + n * interval '1 minute', id, 'image', 0, 1, 1, false from ${IDS}`,
    { name: 'model_id' },
  ),
  swept(
    'alerts',
    'raised top_up.failed',
    'alert',
    `insert into auto_top_up (account_id, customer, payment_method, card, card_by, enabled, below_micro, amount_micro, month_micro, failures, last_failure)
       select id, 'cus', 'pm', 'visa 4242', 'acc_1', true, 2000000, 10000000, 50000000, 1, 'declined' from ${IDS}`,
    {
      on: 'insert',
      name: 'owner',
      waits: `select 1 where not exists (select from alert where owner = 'a-good')`,
    },
  ),
  swept(
    'alerts',
    'lowered top_up.failed',
    'alert',
    `insert into alert (owner, type, subject, data) select id, 'top_up.failed', 'off', '{}' from ${IDS}`,
    { name: 'owner' },
  ),
  swept(
    'alert-mails',
    'old-alert-mails',
    'alert_mail',
    `${accounts} insert into alert_mail (id, owner, type, data, tries, due_at, created_at)
       select id, id, 'balance.low', '{}', 1, null, ${OLD} from ${IDS}`,
  ),
  ...(['free', 'paid'] as const).map((kind) =>
    swept(
      'references',
      `${kind}-references`,
      'reference',
      `insert into reference (id, owner, kind, mime, bytes, sha256, blob_key, embedder, embed_at, free_until, free_caller)
         select id, ${WALLET}, 'image', 'image/png', 3, ${BYTES}, id, '', now() + interval '1 day', ${OLD}, 'caller' from ${IDS};
       ${kind === 'free' ? '' : `insert into x402_payer (payer, paid_in_micro) select ${WALLET}, 1 from ${IDS};`}`,
      kind === 'free'
        ? {}
        : {
            on: 'update',
            waits: `select from reference where id = 'a-good' and free_until is not null`,
          },
    ),
  ),
  swept(
    'batches',
    'old-batches',
    'batch',
    `insert into batch (id, owner, paying_key_id, endpoint, input_file_id, status, held_micro, discount_percent, total,
         fingerprint, expires_at, ended_at)
       select id, 'acc_1', id, '/v1/chat/completions', id, 'completed', 1, 0, 1, ${BYTES}, ${OLD}, ${OLD} from ${IDS}`,
  ),
  swept(
    'batches',
    'old-batch-files',
    'batch_file',
    `insert into batch_file (id, owner, purpose, filename, bytes, lines, ready_at, expires_at)
       select id, 'acc_1', 'batch', 'x', 1, 1, ${OLD}, ${OLD} from ${IDS}`,
  ),
  swept(
    'sweep-pauses',
    'old-pauses',
    'sweep_pause',
    `insert into sweep_pause (sweep, id, failures, retry_at) select 'kept', id, 1, ${OLD} from ${IDS}`,
  ),
];

/** Tables that the cases fill, and those that their statements write. */
export const SWEPT_TABLES = [
  // The running service needs its watermarks.
  ...new Set(SWEPT.map(({ table }) => table).filter((table) => table !== 'event_watermark')),
  'auto_top_up',
  'account',
  'x402_payer',
  'reference_trash',
  'transparency_anchor',
  'x402_payment',
];
