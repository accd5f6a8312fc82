import type { DataSource } from 'typeorm';

import { ChargeReportRepository } from '#money/billing/charges/charge-report.repository';
import { SalesDayRepository } from '#money/billing/charges/sales-day.repository';
import { UsageDayRepository } from '#money/billing/charges/usage-day.repository';
import { ModelHealthRepository, OLD_HOURS } from '#faces/health/model-health.repository';
import { firstIdAt } from '#kernel/ids';
import { micro } from '#kernel/money';
import { VendorCostRepository } from '#money/margins/vendor-cost.repository';
import { createDataSource } from '#platform/database/data-source';
import { Database } from '#platform/database/database';
import { readSettings } from '../../src/settings';
import { cloneDatabase } from '../support/postgres';
import { SweepPauses } from '#platform/queue/sweep-pause.repository';
import { SweepRows } from '#platform/queue/sweep-rows.repository';

const HOUR = 3_600_000;
const OWNERS = ['acc_0000000001', 'acc_0000000002'] as const;
const day = (ago: number): string => new Date(Date.now() - ago * 24 * HOUR).toISOString().slice(0, 10);

describe('sums of what is over', () => {
  let source: DataSource;
  let db: Database;
  let reports: ChargeReportRepository;
  let days: UsageDayRepository;
  let health: ModelHealthRepository;
  let made = 0;

  beforeEach(async () => {
    const url = await cloneDatabase();
    source = await createDataSource(url).initialize();
    db = new Database(
      source,
      readSettings({ DATABASE_URL: url, SIGNING_SECRET: 'a secret of thirty-two characters' }),
    );
    reports = new ChargeReportRepository(db);
    days = new UsageDayRepository(db);
    health = new ModelHealthRepository(db, new SweepPauses(db));
  });
  afterEach(async () => {
    await db.onApplicationShutdown();
    await source.destroy();
  });

  /** An old chat call, as the books contain it now. */
  const charge = async (
    hoursAgo: number,
    {
      payer = OWNERS[0] as string,
      state = 'charged',
      micro = 2_000,
      seconds = 1,
      key = 'key_1',
      aheadMs = 0,
      operation = 'chat',
    } = {},
  ): Promise<string> => {
    const at = new Date(Date.now() - hoursAgo * HOUR);
    const id = `${firstIdAt('ch', at.getTime() + aheadMs)}_${(made += 1)}`;
    await db.rows(
      `insert into charge (id, rail, operation, payer, account_id, key_id, model_id, state, price_micro, list_micro,
         fingerprint, created_at, settled_at, refunded_at, lease_until, input_tokens, output_tokens)
       values ($1, 'api-key', $8, $2, 'credits:' || $2, $3, 'lumen-flash', $4, $5, $5, sha256('x'), $6,
         case when $4 in ('charged', 'refunded') then $6::timestamptz + make_interval(secs => $7) end,
         case when $4 = 'refunded' then $6::timestamptz + interval '1 minute' end,
         case when $4 = 'held' then now() end, 7, 3)`,
      [id, payer, key || null, state, micro, at, seconds, operation],
    );
    return id;
  };

  const usage = (payer: string = OWNERS[0]) => reports.usage(payer, day(5), day(0));
  const addAll = async (): Promise<number> => {
    for (let hours = 0; ; hours += 1) if (!(await days.addHour())) return hours;
  };

  it('say what the calls said, at every step', async () => {
    for (const hours of [70, 69.5, 50, 26, 25.9, 3, 2.1, 0.5, 0]) {
      await charge(hours);
      await charge(hours, { payer: OWNERS[1], micro: 500, key: '' });
      await charge(hours, { state: 'released' });
      await charge(hours, { state: 'refunded' });
    }
    const before = [await usage(OWNERS[0]), await usage(OWNERS[1])];
    expect(before[0]!.reduce((sum, { spent }) => sum + spent, 0n)).toBe(18_000n);
    expect(before[0]!.reduce((sum, { inputTokens }) => sum + inputTokens, 0)).toBe(63);
    expect(before[0]!.reduce((sum, { outputTokens }) => sum + outputTokens, 0)).toBe(27);

    let hours = 0;
    for (; await days.addHour(); hours += 1)
      expect([await usage(OWNERS[0]), await usage(OWNERS[1])]).toEqual(before);

    expect(hours).toBeGreaterThan(60);
    const [last] = await db.rows<{ through: Date }>('select through from usage_cursor');
    expect(Date.now() - last!.through.getTime()).toBeGreaterThanOrEqual(HOUR);
    expect(await db.rows('select 1 from usage_day where day < $1', [day(5)])).toEqual([]);
  });

  it('wait for open charges, and subtract later refunds, once', async () => {
    const id = await charge(30);
    await charge(30, { micro: 7 });
    const open = await charge(20, { state: 'held' });
    await addAll();
    const [reached] = await db.rows<{ through: Date }>('select through from usage_cursor');
    expect(Date.now() - reached!.through.getTime()).toBeGreaterThanOrEqual(20 * HOUR);

    await db.rows(
      `update charge set state = 'charged', settled_at = now(), lease_until = null where id = $1`,
      [open],
    );
    await addAll();
    expect(await usage()).toHaveLength(new Set([day(30 / 24), day(20 / 24)]).size);

    await db.rows(`update usage_cursor set refunds_through = now() - interval '20 minutes'`);
    await db.rows(
      `update charge set state = 'refunded', refunded_at = now() - interval '10 minutes' where id = $1`,
      [id],
    );
    await days.takeRefundsOut();
    await days.takeRefundsOut();

    const rows = await usage();
    expect(rows.reduce((sum, { spent }) => sum + spent, 0n)).toBe(2_007n);
    expect(rows.reduce((sum, { calls }) => sum + calls, 0)).toBe(2);
  });

  it('are begun by one of two workers at once', async () => {
    await charge(10);
    await charge(5);

    await Promise.all([addAll(), addAll(), addAll()]);

    expect((await usage()).reduce((sum, { spent }) => sum + spent, 0n)).toBe(4_000n);
  });

  it('add up the revenue of models, of wallets too and without top-ups, like the charges say', async () => {
    for (const hours of [50, 26, 3, 0.5]) {
      await charge(hours);
      await charge(hours, { payer: '0x00000000000000000000000000000000000000aa', micro: 5 });
      await charge(hours, { state: 'released' });
    }
    const refunded = await charge(26);
    await charge(26, { micro: 1_000_000, operation: 'top_up' });
    const sales = new SalesDayRepository(db);
    const revenue = async () =>
      (await sales.between(day(5), day(0))).reduce((sum, { revenue: each }) => sum + each, 0n);
    expect(await revenue()).toBe(10_020n);

    while (await sales.addHour()) expect(await revenue()).toBe(10_020n);
    await db.rows(`update sales_cursor set refunds_through = now() - interval '20 minutes'`);
    await db.rows(
      `update charge set state = 'refunded', refunded_at = now() - interval '10 minutes' where id = $1`,
      [refunded],
    );
    await sales.takeRefundsOut();
    await sales.takeRefundsOut();

    expect(await revenue()).toBe(8_020n);
    expect((await db.rows('select 1 from sales_day')).length).toBeGreaterThan(1);
  });

  it('keep the cost of a vendor when a write is repeated or late', async () => {
    const costs = new VendorCostRepository(db);
    const total = (calls: number, process: string) => ({
      day: day(0),
      provider: 'acme',
      providerModel: 'x',
      modelId: 'm',
      process,
      calls,
      unusedCalls: 1,
      cost: micro(BigInt(calls) * 10n),
      reported: micro(3n),
    });
    await costs.put([total(2, 'prc_1'), total(1, 'prc_2')]);
    await costs.put([total(5, 'prc_1')]);
    await costs.put([total(2, 'prc_1'), total(1, 'prc_2')]);

    const { process: _, ...sum } = total(6, '');
    expect(await costs.between(day(1), day(0))).toEqual([{ ...sum, unusedCalls: 2, reported: 6n }]);
    expect(await costs.between(day(3), day(1))).toEqual([]);
  });

  it('go on after a call whose process was ahead of the database', async () => {
    const hour = (Date.now() - Math.floor(Date.now() / HOUR) * HOUR) / HOUR + 9;
    await charge(hour + 0.5);
    await charge(hour + 0.01, { aheadMs: 60_000 });
    await charge(4);

    for (let turns = 0; await health.addHour(); turns += 1) expect(turns).toBeLessThan(30);

    expect(await db.rows('select distinct at from model_hour')).toHaveLength(2);
  });

  it('say of the models what calls and jobs said', async () => {
    for (const hours of [60, 40, 40, 27, 4, 3.5, 0.1]) await charge(hours, { seconds: hours > 30 ? 2 : 20 });
    await charge(29, { state: 'released' });
    await charge(33, { state: 'held' });
    const from = new Date((Math.floor(Date.now() / HOUR / 24) - 4) * HOUR * 24);
    const before = await health.since(from, 24 * 3_600);

    for (let turns = 0; (await health.addHour()) || (await health.finishHour()); turns += 1)
      expect(turns).toBeLessThan(30);

    expect(await health.since(from, 24 * 3_600)).toEqual(before);
    expect(before[0]).toMatchObject({ modelId: 'lumen-flash', kind: 'chat', done: 7, failed: 1 });
    expect(before[0]!.medianSeconds!).toBeCloseTo(20, -1);
    const open = await db.rows(
      `select at from model_hour where not is_final and at < now() - interval '26 hours'`,
    );
    expect(open).toEqual([]);
    await new SweepRows(db, new SweepPauses(db)).run(OLD_HOURS);
    expect((await db.rows('select 1 from model_hour')).length).toBeGreaterThan(3);
  });
});
