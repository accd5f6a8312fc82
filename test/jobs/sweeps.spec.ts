import { ChannelClaims } from '#money/billing/rails/channel/channel-claims';
import { ChannelFacilitator } from '#money/billing/rails/channel/channel-facilitator';
import { ChannelRepository } from '#money/billing/rails/channel/channel.repository';
import { ChannelTerms } from '#money/billing/rails/channel/channel-terms';
import { ChargeService } from '#money/billing/calls/charge.service';
import { ChargeRepository } from '#money/billing/charges/charge.repository';
import { KeyReserveRepository } from '#money/billing/ledger/key-reserve.repository';
import { BatchRepository } from '#work/batches/batch.repository';
import { PaymentProcessor } from '#money/credits/payment-processor';
import { TopUpRepository } from '#money/credits/top-up.repository';
import { DueJobsRepository } from '#work/jobs/due-jobs.repository';
import { Schedule } from '#platform/queue/schedule';
import { SweepPauses } from '#platform/queue/sweep-pause.repository';
import { Metrics } from '#platform/telemetry/metrics';
import { BlobStore } from '#platform/storage/blob-store';
import { World } from '../support/world';
import { SWEPT } from './swept-rows';

/** The rows that always fail, in front of one that works. */
const ROWS = 1_000;
const GOOD = 'good';
const TABLES = 'charge job media api_key key_reserve credit_top_up batch channel sweep_pause'.split(' ');
/** Every failing row is due again before each run, as if its pause were over. */
const RUNS_MAX = 40;

interface Case {
  /** Writes the rows `bad-1` to `bad-1000` and `good`, which is the newest. */
  readonly fill: string;
  /** Makes the work on every other row fail. Records the work on the good one. */
  readonly mock: (isDone: () => void) => void;
  readonly run?: () => Promise<unknown>;
  /** Ends the pauses of rows that have their own column. */
  readonly again?: string;
}

const ids = `(select case when n > ${ROWS} then '${GOOD}' else 'bad-' || n end as id, n from generate_series(1, ${ROWS} + 1) n) as r`;
const age = `now() - interval '2 days' + n * interval '1 second'`;

/** The sweeps of `swept-rows.spec.ts`: one statement handles many rows, or the sweep has a test of its own there. */
const BY_STATEMENT = [
  ...new Set(SWEPT.map(({ processor }) => processor).filter((name) => name !== 'batches')),
  'finality',
  'reconciliation',
  'transparency-anchor',
  'usage-rollup',
];

/** A row of these can't be passed over, or there are no rows. */
const ALONE: Readonly<Record<string, string>> = {
  'margin-watch': 'only compares',
  'model-changes':
    'one statement compares all models with those that it announced before, and writes all events',
  transparency: 'the log has all facts in the order of their commits, so a fact that fails must stop it',
  webhooks:
    'fans the event log out in its order, and leaves an event out that fails; each delivery has due_at, which each try moves',
};

describe('a sweep', () => {
  let world: World;

  beforeAll(async () => {
    // Only the tests run the sweeps.
    world = await World.start({ ROLE: 'api' });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => world.stop());

  const get = <T>(of: abstract new (...args: never[]) => T): T => world.app.get(of, { strict: false });
  const refuse = (id: string): Promise<never> => Promise.reject(new Error(`${id} always fails`));
  const fails = (id: string, isDone: () => void): Promise<void> =>
    id === GOOD ? Promise.resolve(isDone()) : refuse(id);
  /** Lets one test double run for the good row, and fail for all others. */
  const mock = <T extends object>(
    target: T,
    method: string,
    idOf: (arg: never) => string,
    isDone: () => void,
    result?: unknown,
  ) => {
    const methods = target as unknown as Record<string, (arg: never) => Promise<unknown>>;
    jest.spyOn(methods, method).mockImplementation(async (arg) => {
      await fails(idOf(arg), isDone);
      return result;
    });
  };

  /** `job` has its status, its end, its deadline and its error. */
  const failedJob = (state: string, job: string): string => `
    insert into charge (id, rail, operation, payer, model_id, state, price_micro, list_micro, fingerprint, lease_until, settled_at)
    select id, 'wallet', 'media', '0x${'a'.repeat(40)}', 'ember', '${state}', 1000, 1000, '\\x${'0'.repeat(64)}',
      case when '${state}' = 'held' then ${age} end, case when '${state}' = 'charged' then ${age} end from ${ids};
    insert into job (id, charge_id, owner, kind, mode, model_id, usual_seconds, status, finished_at, deadline_at, error_code, poll_at, provider)
    select id, id, '0x${'a'.repeat(40)}', 'image', 'text-to-image', 'ember', 5, ${job}, ${age}, 'sandbox' from ${ids};`;

  const cases: Readonly<Record<string, () => Case>> = {
    'refund-sweep': () => ({
      fill: failedJob('charged', `'failed', ${age}, now() + interval '1 day', 'TIMED_OUT'`),
      mock: (isDone) => mock(get(ChargeService), 'refund', ({ id }: { id: string }) => id, isDone, true),
    }),
    'media-retention': () => ({
      fill: `insert into media (id, job_id, blob_key, mime, bytes, expires_at, awaits_charge)
        select id, id, id, 'image/png', 3, ${age}, false from ${ids};`,
      mock: (isDone) => mock(get(BlobStore), 'delete', (key: string) => key, isDone),
    }),
    'reserve-sweep': () => ({
      fill: `insert into api_key (id, account_id, name, hash, prefix, deleted_at)
          select id, 'acc_1', id, sha256(id::bytea), 'lp_12', now() from ${ids};
        insert into key_reserve (key_id, account_id, left_micro, counted, day)
          select id, 'credits:acc_1', 1, '{}', current_date from ${ids};`,
      mock: (isDone) => mock(get(KeyReserveRepository), 'giveBack', (id: string) => id, isDone),
    }),
    'auto-top-ups': () => ({
      fill: `insert into credit_top_up (id, account_id, amount_micro, processor, automatic, customer, payment_method, created_at)
        select id, 'acc_' || n, 1000000, 'sandbox', true, 'cus_1', 'pm_1', ${age} from ${ids};`,
      mock: (isDone) => {
        const charge = ({ topUpId }: { topUpId: string }) =>
          topUpId === GOOD ? Promise.resolve('none') : refuse(topUpId);
        Object.defineProperty(get(PaymentProcessor), 'cards', { value: { charge }, configurable: true });
        mock(get(TopUpRepository), 'refused', (id: string) => id, isDone);
      },
    }),
    batches: () => ({
      fill: `insert into batch (id, owner, paying_key_id, endpoint, input_file_id, status, held_micro, discount_percent, total,
          fingerprint, expires_at, created_at)
        select id, 'acc_1', id, '/v1/chat/completions', id, 'in_progress', 1, 0, 1, '\\x${'0'.repeat(64)}', now() + interval '1 day', ${age}
        from ${ids};`,
      mock: (isDone) => mock(get(BatchRepository), 'end', (id: string) => id, isDone, true),
    }),
    'charge-sweep': () => ({
      fill: failedJob('held', `'failed', ${age}, now() + interval '1 day', 'TIMED_OUT'`),
      mock: () => undefined,
      run: async () => get(ChargeRepository).takeAbandoned(100),
      again: `update charge set lease_until = now() - interval '1 second' where state = 'held' and lease_until > now()`,
    }),
    'job-poll': () => ({
      fill: failedJob('charged', `'running', null, ${age}, null`).replace(
        `, poll_at, provider`,
        `, poll_at, provider`,
      ),
      mock: () => undefined,
      run: async () => get(DueJobsRepository).takeOverdue([], 100),
      again: `update job set poll_at = now() where status = 'running' and poll_at > now()`,
    }),
    'channel-claims': () => ({
      fill: `insert into channel (id, network, payer, payer_authorizer, receiver, receiver_authorizer, token, withdraw_delay, salt,
          base_micro, charged_micro, signed_micro, signature, balance_micro, claimed_micro, synced_at, used_at)
        select '0x' || lpad(to_hex(n), 64, '0'), 'eip155:8453', '0x${'a'.repeat(40)}', '0x${'a'.repeat(40)}', '0x${'b'.repeat(40)}',
          '0x${'c'.repeat(40)}', '0x${'d'.repeat(40)}', 900, '0x${'0'.repeat(64)}', 0, 2000, 2000, '0x01', 20000, 0, ${age}, ${age}
        from ${ids};`,
      mock: (isDone) => {
        jest
          .spyOn(get(ChannelTerms), 'all')
          .mockResolvedValue([
            { on: { network: 'eip155:8453' }, authorizer: `0x${'c'.repeat(40)}`, access: {} } as never,
          ]);
        // Neither due claims nor refunds of idle channels: this test is about the reading of channels.
        jest.spyOn(get(ChannelRepository), 'due').mockResolvedValue({ claim: false, payout: false });
        jest.spyOn(get(ChannelRepository), 'idle').mockResolvedValue([]);
        const good = `0x${(ROWS + 1).toString(16).padStart(64, '0')}`;
        const idOf = ({ id }: { id: string }) => (id === good ? GOOD : id);
        mock(get(ChannelFacilitator), 'refresh', idOf, isDone);
      },
      run: () => get(ChannelClaims).run(),
      again: `update channel set claim_until = now() - interval '1 second' where claim_until > now()`,
    }),
  };

  it('is in one of the three lists, so that a new one joins them', () => {
    const names = [...get(Schedule).processors.keys()].toSorted();

    expect([...Object.keys(cases), ...BY_STATEMENT, ...Object.keys(ALONE)].toSorted()).toEqual(names);
  });

  it.each(Object.keys(cases))('of %s reaches one row behind a thousand that always fail', async (name) => {
    const { fill, mock: prepare, run, again } = cases[name]!();
    let isDone = false;
    await world.db.transaction(async (queries) => {
      await queries.rows('set local session_replication_role = replica');
      for (const table of TABLES) await queries.rows(`delete from ${table}`);
      for (const statement of fill.split(';').filter((one) => one.trim() !== ''))
        await queries.rows(statement);
    });
    prepare(() => {
      isDone = true;
    });
    const work = run ?? (() => get(Schedule).processors.get(name)!.run());

    for (let runs = 0; runs < RUNS_MAX && !isDone; runs += 1) {
      const taken: unknown = await work();
      if (Array.isArray(taken)) isDone ||= taken.some(({ id }: { id: string }) => id === GOOD);
      await world.db.rows('update sweep_pause set retry_at = now()');
      if (again !== undefined) await world.db.rows(again);
    }

    expect(isDone).toBe(true);
  });

  it('pauses a failing row for longer each time, and its number is a metric', async () => {
    await world.db.rows('delete from sweep_pause');
    const pauses = get(SweepPauses);
    const seconds: number[] = [];
    for (let failures = 0; failures < 12; failures += 1) {
      await pauses.failed('a sweep', 'row');
      const row = await world.db.one<{ seconds: number }>(
        'select round(extract(epoch from retry_at - now()))::integer as seconds from sweep_pause',
        [],
      );
      seconds.push(row!.seconds);
    }
    await pauses.waits('a sweep', 'waiting', 5);
    await world.db.rows(
      `insert into sweep_pause (sweep, id, failures, retry_at) values ('a sweep', 'gone', 3, now() - interval '2 days')`,
    );

    expect(seconds.slice(0, 4)).toEqual([10, 20, 40, 80]);
    expect(seconds.at(-1)).toBe(3_600);
    await get(Schedule).processors.get('sweep-pauses')!.run();
    expect(await get(Metrics).text()).toContain('lamppost_sweep_failing_rows{sweep="a sweep"} 1');
    await pauses.done('a sweep', 'row');
    expect(await pauses.failing()).toEqual(new Map([['a sweep', 0]]));
  });
});
