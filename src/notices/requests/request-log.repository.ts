import { Injectable } from '@nestjs/common';

import { type Micro, microFromText } from '#kernel/money';
import { ifPresent, present } from '#kernel/present';
import type { View } from '#people/keys/visible-rows';
import { memberOfCall } from '#people/keys/visible-rows.sql';
import { Database } from '#platform/database/database';
import type { Attempt } from '#models/providers/attempts';
import { type RequestStatus, statusOf, STATES_OF } from './request-status';
import type { RequestAnswer, RequestsQuery } from './requests.dto';

/**
 * The most rows that one read scans, so its time does not depend on the number of calls. If few rows match the filter,
 * a page may be short, and its cursor continues the scan.
 */
const SCAN_MAX = 5_000;
const HISTOGRAM_MAX = 10_000;

/** The calls that a caller may see, and the filter. */
export interface RequestFilter extends View, Omit<RequestsQuery, 'from' | 'to'> {
  readonly from?: Date;
  readonly to?: Date;
}

/** The position of a row in the log: its time in microseconds, and its id. */
export interface LogPosition {
  readonly at: string;
  readonly id: string;
}

export interface LoggedCall extends LogPosition {
  readonly time: Date;
  readonly status: RequestStatus;
  readonly httpStatus?: number;
  readonly code?: string;
  readonly route?: string;
  readonly operation?: string;
  readonly modelId?: string;
  readonly keyId?: string;
  readonly keyName?: string;
  readonly memberId?: string;
  readonly memberEmail?: string;
  readonly tag?: string;
  readonly session?: string;
  readonly rail?: string;
  readonly cost: Micro;
  readonly ms?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly chargeId?: string;
  readonly jobId?: string;
  readonly medium?: RequestAnswer['medium'];
  readonly attempts: readonly Attempt[];
}

/** A part of the log. `until` is set if the read did not scan all older rows: it is the last scanned row. */
interface Read {
  readonly calls: readonly LoggedCall[];
  readonly until?: LogPosition;
}

/** The number of calls with one status that began in one span of time. */
export interface Count {
  readonly bucket: number;
  readonly status: RequestStatus;
  readonly calls: number;
}

const codeOf = (row: string): string => `coalesce(
    (select n.code from call_note n where n.charge_id = ${row}.id order by n.created_at limit 1),
    case when ${row}.state = 'refunded' then (select j.error_code from job j where j.id = ${row}.job_id) end)`;

/** Collects the values of a statement. `bind` returns the placeholder of a new value. */
class Values {
  readonly all: unknown[] = [];

  bind(value: unknown, type: string): string {
    return `$${this.all.push(value)}::${type}`;
  }
}

/**
 * The charges of one batch have the same time, so the id decides their order. The database must compare ids byte by
 * byte, like this code.
 */
const ID = `id collate "C"`;
const NEWEST_FIRST = `created_at desc, ${ID} desc`;

const MICROSECONDS = (column: string): string => `(extract(epoch from ${column}) * 1000000)::bigint::text`;
const timeAt = (place: string): string => `timestamptz 'epoch' + ${place} * interval '1 microsecond'`;

/** The conditions that an index supports. They select the rows of the scan. */
const indexed = (
  values: Values,
  owner: string,
  filter: RequestFilter,
  before: LogPosition | undefined,
): string[] => {
  const found = [`${owner} = ${values.bind(filter.owner, 'text')}`];
  if (filter.from !== undefined) found.push(`created_at >= ${values.bind(filter.from, 'timestamptz')}`);
  if (filter.to !== undefined) found.push(`created_at < ${values.bind(filter.to, 'timestamptz')}`);
  const keyId = filter.onlyKey ?? filter.keyId;
  if (keyId !== undefined) found.push(`key_id = ${values.bind(keyId, 'text')}`);
  if (filter.tag !== undefined) found.push(`tag = ${values.bind(filter.tag, 'text')}`);
  if (filter.session !== undefined)
    found.push(
      `id in (select charge_id from call_session
        where owner = ${values.bind(filter.owner, 'text')} and session = ${values.bind(filter.session, 'text')})`,
    );
  if (before !== undefined) {
    const at = timeAt(values.bind(before.at, 'bigint'));
    found.push(`created_at <= ${at}`, `(created_at, ${ID}) < (${at}, ${values.bind(before.id, 'text')})`);
  }
  return found;
};

/** The other conditions. The statement checks them for each row of the scan. */
const compared = (
  values: Values,
  filter: RequestFilter,
  codeColumn: string,
  states?: readonly string[],
): string[] => {
  const found: string[] = [];
  const { modelId, onlyKey, keyId, code } = filter;
  if (onlyKey !== undefined && keyId !== undefined) found.push(`c.key_id = ${values.bind(keyId, 'text')}`);
  if (modelId !== undefined) found.push(`c.model_id = ${values.bind(modelId, 'text')}`);
  for (const person of [filter.onlyMember, filter.member])
    if (person !== undefined) found.push(`${memberOfCall('c')} = ${values.bind(person, 'text')}`);
  if (states !== undefined) found.push(`c.state = any(${values.bind(states, 'text[]')})`);
  if (code !== undefined) found.push(`${codeColumn} = ${values.bind(code, 'text')}`);
  return found;
};

const all = (conditions: readonly string[]): string =>
  conditions.length === 0 ? 'true' : conditions.join(' and ');

interface Row {
  readonly matches: boolean;
  readonly place: string;
  readonly at: string;
  readonly id: string;
  readonly time: Date;
  readonly status: RequestStatus;
  readonly http_status: number | null;
  readonly code: string | null;
  readonly route: string | null;
  readonly operation: string | null;
  readonly model_id: string | null;
  readonly key_id: string | null;
  readonly key_name: string | null;
  readonly member_id: string | null;
  readonly member_email: string | null;
  readonly tag: string | null;
  readonly session: string | null;
  readonly rail: string | null;
  readonly cost: string;
  readonly ms: number | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly charge_id: string | null;
  readonly job_id: string | null;
  readonly medium: {
    kind: 'image' | 'video';
    seconds: number | null;
    size: string | null;
    ms: number | null;
  } | null;
  readonly note: { status: number; route: string; ms: number; attempts: readonly Attempt[] } | null;
}

const callOf = (row: Row): LoggedCall => ({
  at: row.at,
  id: row.id,
  time: row.time,
  status: row.status,
  httpStatus: present(row.http_status) ?? row.note?.status,
  code: present(row.code),
  route: present(row.route) ?? row.note?.route,
  operation: present(row.operation),
  modelId: present(row.model_id),
  keyId: present(row.key_id),
  keyName: present(row.key_name),
  memberId: present(row.member_id),
  memberEmail: present(row.member_email),
  tag: present(row.tag),
  session: present(row.session),
  rail: present(row.rail),
  cost: microFromText(row.cost),
  ms: row.note?.ms ?? present(row.medium?.ms) ?? present(row.ms),
  inputTokens: present(row.input_tokens),
  outputTokens: present(row.output_tokens),
  chargeId: present(row.charge_id),
  jobId: present(row.job_id),
  medium: ifPresent(present(row.medium), ({ kind, seconds, size }) => ({
    kind,
    seconds: present(seconds),
    size: present(size),
  })),
  attempts: row.note?.attempts ?? [],
});

/** Reads the calls of an owner. It reads calls with a charge from `charge`, and calls without one from `call_note`. */
@Injectable()
export class RequestLogRepository {
  constructor(private readonly db: Database) {}

  /**
   * The newest calls come first. The scans of both tables are limited, so a page may be short although older calls
   * match.
   */
  async page(filter: RequestFilter, limit: number, before?: LogPosition): Promise<Read> {
    const [charges, notes] = await Promise.all([
      filter.status === 'refused' ? NOTHING : this.charges(filter, limit, before),
      (filter.status === undefined || filter.status === 'refused') && filter.session === undefined
        ? this.notes(filter, limit, before)
        : NOTHING,
    ]);
    return merged(charges, notes, limit);
  }

  private async charges(filter: RequestFilter, limit: number, before?: LogPosition): Promise<Read> {
    const values = new Values();
    const { status, code } = filter;
    const scanned = indexed(values, 'payer', filter, before);
    const states = code === undefined ? status && STATES_OF[status] : ['released', 'refunded'];
    const isRare = states !== undefined && states.every((state) => RARE.has(state));
    // The text of the statement contains the state, because with a bound value Postgres would not use the index of a
    // rare state.
    if (isRare) scanned.push(`state in (${states.map((state) => `'${state}'`).join(', ')})`);
    const conditions = compared(values, filter, codeOf('c'), status && STATES_OF[status]);
    return this.read(
      { table: 'charge', scanned, conditions, values },
      `select r.matches, r.place::text, ${MICROSECONDS('r.created_at')} as at, r.id, r.created_at as time,
         ${statusOf('r')} as status, null::smallint as http_status,
         ${codeOf('r')} as code, null::text as route, r.operation, r.model_id, r.key_id,
         (select name from api_key where id = r.key_id) as key_name, ${memberOfCall('r')} as member_id,
         (select email from account where id = ${memberOfCall('r')}) as member_email, r.tag, r.rail,
         (select session from call_session where charge_id = r.id) as session,
         case when r.state in ('released', 'refunded') then 0 else r.price_micro end::text as cost,
         case when r.state = 'charged' or r.state = 'refunded'
           then round(extract(epoch from r.settled_at - r.created_at) * 1000)::integer end as ms,
         r.input_tokens, r.output_tokens, r.id as charge_id, r.job_id,
         (select jsonb_build_object('kind', kind, 'seconds', seconds, 'size', size,
            'ms', round(extract(epoch from finished_at - r.created_at) * 1000)) from job where id = r.job_id) as medium,
         (select jsonb_build_object('status', status, 'route', route, 'ms', ms, 'attempts', attempts)
          from call_note where charge_id = r.id order by created_at limit 1) as note`,
      limit,
    );
  }

  private async notes(filter: RequestFilter, limit: number, before?: LogPosition): Promise<Read> {
    const values = new Values();
    const scanned = [...indexed(values, 'owner', filter, before), 'charge_id is null'];
    const conditions = compared(values, filter, 'c.code');
    return this.read(
      { table: 'call_note', scanned, conditions, values },
      `select r.matches, r.place::text, ${MICROSECONDS('r.created_at')} as at, r.id, r.created_at as time,
         'refused' as status, r.status as http_status, r.code, r.route, r.operation, r.model_id, r.key_id,
         (select name from api_key where id = r.key_id) as key_name, ${memberOfCall('r')} as member_id,
         (select email from account where id = ${memberOfCall('r')}) as member_email, r.tag, null::text as rail, null::text as session,
         '0' as cost,
         r.ms, null::integer as input_tokens, null::integer as output_tokens, null::text as charge_id,
         null::text as job_id, null::jsonb as medium,
         jsonb_build_object('status', r.status, 'route', r.route, 'ms', r.ms, 'attempts', r.attempts) as note`,
      limit,
    );
  }

  /** Returns the first matching rows of the scan, and its last row, which shows how far the scan went. */
  private async read(
    { table, scanned, conditions, values }: Scan,
    shown: string,
    limit: number,
  ): Promise<Read> {
    const rowsMax = conditions.length === 0 ? limit + 1 : SCAN_MAX;
    const rows = await this.bounded<Row>(
      `${shown} from (
         select * from (
           select c.*, ${all(conditions)} as matches from (
             select *, ${ID} as compared_id, row_number() over (order by ${NEWEST_FIRST}) as place from ${table}
             where ${all(scanned)} order by ${NEWEST_FIRST} limit ${rowsMax}) c) s
         where s.matches or s.place = ${rowsMax} order by s.created_at desc, s.compared_id desc limit ${limit + 1}) r
       order by r.place`,
      values.all,
    );
    return readOf(rows, limit, rowsMax);
  }

  /**
   * Counts the calls by the time of their beginning, in spans of equal length. It counts only the newest rows of each
   * table, up to a limit.
   */
  async histogram(
    filter: RequestFilter & { readonly from: Date; readonly to: Date },
    seconds: number,
  ): Promise<{ readonly counts: readonly Count[]; readonly since?: Date }> {
    const [charges, notes] = await Promise.all([
      this.countCharges(filter, seconds),
      this.countNotes(filter, seconds),
    ]);
    const since = [charges.since, notes.since]
      .flatMap((time) => time ?? [])
      .sort((a, b) => Number(b) - Number(a))[0];
    return { counts: [...charges.counts, ...notes.counts], since };
  }

  private async countCharges(
    filter: RequestFilter & { readonly from: Date },
    seconds: number,
  ): Promise<Counted> {
    const { status, code } = filter;
    if (status === 'refused') return NONE_COUNTED;
    const values = new Values();
    const scanned = indexed(values, 'payer', filter, undefined);
    if (code !== undefined) scanned.push(`state in ('released', 'refunded')`);
    const conditions = compared(values, filter, codeOf('c'), status && STATES_OF[status]);
    return this.count(CHARGES, statusOf('c'), { scanned, conditions, values }, filter.from, seconds);
  }

  private async countNotes(
    filter: RequestFilter & { readonly from: Date },
    seconds: number,
  ): Promise<Counted> {
    const { status } = filter;
    if (filter.session !== undefined || (status !== undefined && status !== 'refused')) return NONE_COUNTED;
    const values = new Values();
    const scanned = [...indexed(values, 'owner', filter, undefined), 'charge_id is null'];
    const conditions = compared(values, filter, 'c.code');
    return this.count(NOTES, `'refused'`, { scanned, conditions, values }, filter.from, seconds);
  }

  private async count(
    table: string,
    status: string,
    { scanned, conditions, values }: Omit<Scan, 'table'>,
    from: Date,
    seconds: number,
  ): Promise<Counted> {
    const start = values.bind(from, 'timestamptz');
    const width = values.bind(seconds, 'integer');
    const rows = await this.bounded<{
      bucket: number | null;
      status: RequestStatus;
      calls: number;
      since: Date;
      seen: number;
    }>(
      `with scan as materialized (
         select ${table} where ${all(scanned)} order by created_at desc limit ${HISTOGRAM_MAX})
       select counted.*, whole.* from (select min(created_at) as since, count(*)::integer as seen from scan) whole
       left join (
         select floor(extract(epoch from c.created_at - ${start}) / ${width})::integer as bucket, ${status} as status,
           count(*)::integer as calls
         from scan c where ${all(conditions)} group by 1, 2) counted on true`,
      values.all,
    );
    const counts = rows.flatMap(({ bucket, status: end, calls }) =>
      bucket === null ? [] : [{ bucket, status: end, calls }],
    );
    return { counts, since: (rows[0]?.seen ?? 0) < HISTOGRAM_MAX ? undefined : rows[0]?.since };
  }

  /** The number of all refusals of the owner in these hours. Only a sample of them has notes. */
  async refusals(owner: string, from: Date, to: Date): Promise<number> {
    const row = await this.db.one<{ calls: string }>(
      `select coalesce(sum(calls), 0)::text as calls from refusal_count
       where owner = $1 and hour >= date_trunc('hour', $2::timestamptz) and hour < $3`,
      [owner, from, to],
      'request-refusals',
    );
    return Number(row?.calls ?? 0);
  }

  /**
   * A report may take longer than a statement of a call, so it has its own limit. The statements have no name, because
   * their texts depend on the filter.
   */
  private bounded<R extends object>(text: string, values: readonly unknown[]): Promise<R[]> {
    return this.db.longRows<R>(5, text, values);
  }
}

/** The rows that a statement looks at, and the conditions that it compares on each of them. */
interface Scan {
  readonly table: 'charge' | 'call_note';
  readonly scanned: readonly string[];
  readonly conditions: readonly string[];
  readonly values: Values;
}

const CHARGES = 'id, created_at, state, key_id, person_id, model_id, job_id from charge';
const NOTES = 'id, created_at, code, key_id, person_id, model_id from call_note';

interface Counted {
  readonly counts: readonly Count[];
  readonly since?: Date;
}

const NOTHING: Read = { calls: [] };
const NONE_COUNTED: Counted = { counts: [] };

/** The states that have a separate index. */
const RARE: ReadonlySet<string> = new Set(['released', 'refunded']);

/**
 * If the scan reached its limit before the page was full, older rows may match, so `until` is the last row of the scan.
 */
const readOf = (rows: readonly Row[], limit: number, rowsMax: number): Read => {
  const matching = rows.filter(({ matches }) => matches);
  const last = rows.at(-1);
  const isCut = matching.length <= limit && last?.place === String(rowsMax);
  return {
    calls: matching.map(callOf),
    until: isCut && last !== undefined ? { at: last.at, id: last.id } : undefined,
  };
};

/** Merges the rows of both tables by time, down to the later end of the two scans. */
const merged = (one: Read, other: Read, limit: number): Read => {
  const untils = [one.until, other.until].flatMap((place) => place ?? []);
  const until = untils.sort(newestFirst)[0];
  const calls = [...one.calls, ...other.calls]
    .filter((call) => until === undefined || !isNewer(until, call))
    .sort(newestFirst);
  if (calls.length <= limit) return { calls, until };
  const page = calls.slice(0, limit);
  const { at, id } = page.at(-1)!;
  return { calls: page, until: { at, id } };
};

/** Compares like the database: by time, then by id. */
const isNewer = (a: LogPosition, b: LogPosition): boolean => {
  const [one, other] = [BigInt(a.at), BigInt(b.at)];
  return one === other ? a.id > b.id : one > other;
};

const newestFirst = (a: LogPosition, b: LogPosition): number => (isNewer(a, b) ? -1 : isNewer(b, a) ? 1 : 0);
