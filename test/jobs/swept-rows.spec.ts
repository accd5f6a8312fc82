import { readFileSync, readdirSync } from 'node:fs';

import { X402Finality } from '#money/billing/rails/x402/settlement/x402-finality';
import { SalesDayRepository } from '#money/billing/charges/sales-day.repository';
import { UsageDayRepository } from '#money/billing/charges/usage-day.repository';
import { AnchorRepository } from '#money/billing/transparency/anchor.repository';
import { Facilitators } from '#money/billing/rails/x402/facilitators/facilitators';
import { ReconciliationRepository } from '#money/billing/sweeps/reconciliation.repository';
import { ReconciliationMetrics } from '#money/billing/sweeps/reconciliation.metrics';
import { DatabaseUnavailable } from '#platform/database/database.errors';
import { Mailer } from '#platform/mail/mailer';
import { Schedule } from '#platform/queue/schedule';
import { Embedder } from '#models/providers/embedder';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';
import { IDS, ROWS, SWEPT, SWEPT_TABLES, type SweptCase } from './swept-rows';

/** Every failing row is due again before each run, as if its pause were over. */
const RUNS_MAX = 40;
const GOOD = 'a-good';

describe('the statements of a sweep', () => {
  let world: World;

  beforeAll(async () => {
    // Only the tests run the sweeps.
    world = await World.start({ ROLE: 'api' });
    await world.db.rows(`
      create function always_fails() returns trigger language plpgsql as
      $$ begin raise exception 'This row always fails.'; end $$`);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => world.stop());

  const get = <T>(of: abstract new (...args: never[]) => T): T => world.app.get(of, { strict: false });
  const run = (processor: string): Promise<unknown> => get(Schedule).processors.get(processor)!.run();

  const fill = (statements: string): Promise<void> =>
    world.db.transaction(async (queries) => {
      await queries.rows('set local session_replication_role = replica');
      for (const table of SWEPT_TABLES) await queries.rows(`delete from ${table}`);
      for (const statement of statements.split(';').filter((one) => one.trim() !== ''))
        await queries.rows(statement);
    });

  /** Runs the sweep until the good row is done. */
  const reaches = async (
    processor: string,
    isDone: () => Promise<boolean>,
    again?: string,
  ): Promise<boolean> => {
    for (let runs = 0; runs < RUNS_MAX; runs += 1) {
      // A loaded machine may end a statement by its time limit. As in the service, the next run goes on.
      await run(processor).catch((error: unknown) => {
        if (!(error instanceof DatabaseUnavailable)) throw error;
      });
      if (await isDone()) return true;
      await world.db.rows(`update sweep_pause set retry_at = now() where sweep <> 'kept'`);
      if (again !== undefined) await world.db.rows(again);
    }
    return false;
  };

  const failing = async ({ table, on, name }: SweptCase, work: () => Promise<void>): Promise<void> => {
    const row = on === 'insert' ? 'new' : 'old';
    await world.db.rows(
      `create trigger a_fails before ${on} on ${table} for each row when (${row}.${name} like '%a-bad-%') execute function always_fails()`,
    );
    try {
      await work();
    } finally {
      await world.db.rows(`drop trigger a_fails on ${table}`);
    }
  };

  it('have a case here, so that a new one joins them', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    const steps = files.flatMap((file) =>
      [...readFileSync(`src/${file}`, 'utf8').matchAll(/^ +step: ['`](?<step>[^$'`]+)/gm)].map(
        ({ groups }) => groups!['step']!,
      ),
    );

    expect(steps.length).toBeGreaterThan(15);
    expect(steps.filter((step) => !SWEPT.some((swept) => swept.step.startsWith(step)))).toEqual([]);
  });

  it.each(SWEPT)('$step of $processor reach one row behind a thousand that always fail', async (swept) => {
    await fill(swept.fill);
    jest.spyOn(get(Mailer), 'isOn', 'get').mockReturnValue(true);
    expect(await world.db.rows(swept.waits)).toHaveLength(1);

    // A run has a limit of time, so a slow machine needs several until it has tried each row.
    const paused = async (): Promise<number> => {
      const sql = 'select from sweep_pause where sweep = $1 and failures > 0';
      return (await world.db.rows(sql, [swept.step])).length;
    };
    await failing(swept, async () => {
      const done = async () => (await world.db.rows(swept.waits)).length === 0;
      expect(await reaches(swept.processor, done)).toBe(true);
      expect(await reaches(swept.processor, async () => (await paused()) === ROWS)).toBe(true);
    });
    if (swept.step === 'old-pauses') return;
    await world.db.rows(`update sweep_pause set retry_at = now() where sweep <> 'kept'`);
    await run(swept.processor);
    expect(await world.db.rows('select from sweep_pause where sweep = $1', [swept.step])).toEqual([]);
  });

  it('of references reach one embedding behind a thousand that always fail', async () => {
    await fill(`insert into reference (id, owner, kind, mime, bytes, label, sha256, blob_key, embedder)
      select id, 'acc_1', 'image', 'image/png', 3, id, sha256(id::bytea), id, '' from ${IDS}`);
    let isDone = false;
    jest.spyOn(get(Embedder), 'embedMedia').mockImplementation(({ label }) => {
      if (label !== GOOD) return Promise.reject(new Error('It always fails.'));
      isDone = true;
      return Promise.resolve(undefined);
    });

    expect(await reaches('references', () => Promise.resolve(isDone))).toBe(true);
  });

  it.each([
    ['the server refuses for now', true, true],
    ['no server accepts', false, false],
  ])('of alert-mails pass a thousand mails that %s: %s', async (_, isOfMail, expected) => {
    await fill(`insert into account (id, email, password_hash) select id, id || '@example.com', 'x' from ${IDS};
      insert into alert_mail (id, owner, type, data, due_at)
        select id, id, 'balance.low', '{"balanceMicro":1,"limitMicro":2}', now() - interval '1 hour' + n * interval '1 second' from ${IDS}`);
    const mailer = get(Mailer);
    let isSent = false;
    let tries = 0;
    jest.spyOn(mailer, 'isOn', 'get').mockReturnValue(true);
    jest.spyOn(mailer, 'send').mockImplementation(({ id }) => {
      tries += 1;
      if (id !== GOOD) return Promise.resolve({ outcome: 'failed', why: '451', isOfMail });
      isSent = true;
      return Promise.resolve({ outcome: 'sent' });
    });

    await run('alert-mails');

    expect(isSent).toBe(expected);
    expect(tries).toBe(expected ? ROWS + 1 : 5);
  });

  it('of finality reach one payment behind a thousand that always fail', async () => {
    await fill(`insert into x402_payment (network, asset, payer, nonce, charge_id, pay_to, amount_micro, valid_after, valid_before,
        signature, from_block, watch_at)
      select 'eip155:8453', '0x${'a'.repeat(40)}', '0x${'b'.repeat(40)}', sha256(id::bytea), id, '0x${'c'.repeat(40)}', 1, 1, 2, '\\x${'09'.repeat(65)}', 1,
        now() - interval '2 days' + n * interval '1 second' from ${IDS}`);
    let isDone = false;
    jest.spyOn(get(X402Finality), 'check').mockImplementation(({ chargeId }) => {
      isDone ||= chargeId === GOOD;
      return chargeId === GOOD ? Promise.resolve() : Promise.reject(new Error('It always fails.'));
    });

    expect(
      await reaches(
        'finality',
        () => Promise.resolve(isDone),
        'update x402_payment set watch_at = now() where watch_at > now()',
      ),
    ).toBe(true);
  });

  it('of transparency-anchor reach one day behind a thousand whose block always fails, and then write', async () => {
    await fill(`insert into transparency_anchor (day, log_id, size, note, network, transaction)
      select to_char(now() + n * interval '1 day', 'YYYY-MM-DD'), 1, n, 'x', '${world.settings.x402.network}', id from ${IDS}`);
    const notary = {
      blockOf: (id: string) => (id === GOOD ? Promise.resolve(7n) : Promise.reject(new Error('It fails.'))),
    };
    jest.spyOn(get(Facilitators), 'on').mockReturnValue({ notary } as never);

    await expect(run('transparency-anchor')).rejects.toThrow('It fails.');

    const mined = await world.db.rows('select transaction from transparency_anchor where block is not null');
    expect(mined).toEqual([{ transaction: GOOD }]);
    expect(await get(AnchorRepository).awaited(world.settings.x402.network)).toHaveLength(ROWS);
  });

  it('of webhooks hand out one event behind a thousand whose delivery always fails', async () => {
    await fill(`insert into account (id, email, password_hash) values ('acc_1', 'a@example.com', 'x');
      insert into webhook_endpoint (id, owner, url, host, place, enabled_at)
        values ('we_1', 'acc_1', 'https://example.com/x', 'example.com', 1, now() - interval '1 day')`);
    await world.db.rows(
      `insert into event (id, owner, type, data) select 'evt_' || id, 'acc_1', 'balance.low', '{}' from ${IDS}`,
    );
    const handed = () => world.db.rows(`select event_id from webhook_delivery `);

    await failing({ table: 'webhook_delivery', on: 'insert', name: 'event_id' } as SweptCase, () =>
      expectEventually(async () => {
        await run('webhooks');
        return (await handed()).length > 0;
      }),
    );

    expect(await handed()).toEqual([{ event_id: `evt_${GOOD}` }]);
  });

  it('of usage-rollup add up sales although the usage fails', async () => {
    const added = jest.spyOn(get(SalesDayRepository), 'addHour').mockResolvedValue(false);
    const taken = jest.spyOn(get(UsageDayRepository), 'takeRefundsOut');
    jest.spyOn(get(UsageDayRepository), 'addHour').mockRejectedValue(new Error('It always fails.'));

    await expect(run('usage-rollup')).rejects.toThrow('It always fails.');

    expect([added.mock.calls.length, taken.mock.calls.length]).toEqual([1, 1]);
  });

  it('of reconciliation compare everything else if one comparison fails', async () => {
    const seen = jest.spyOn(get(ReconciliationMetrics), 'drift');
    jest
      .spyOn(get(ReconciliationRepository), 'balancesAgainstNewest')
      .mockRejectedValue(new Error('It fails.'));

    await expect(run('reconciliation')).rejects.toThrow('It fails.');

    expect(seen.mock.calls.map(([ledger]) => ledger)).toEqual(
      'entries charges bills results chain transfers lost channels transparency'.split(' '),
    );
  });
});
