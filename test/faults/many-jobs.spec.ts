import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { type RailCaller, callersOf, sandboxRails } from '../contract/rail-callers';
import { expectEventually } from '../support/eventually';
import { cloneDatabase } from '../support/postgres';
import { IS_NIGHTLY } from '../support/nightly';
import { Deployment } from './deployment';

const URL = '/v1/agent/generate';
const PRICE = 30_770n;
const JOBS = IS_NIGHTLY ? 400 : 120;
const AT_ONCE = 24;
const DEADLINE_SECONDS = 25;
/** Submissions that time out take half a minute each, so a few of them are enough. */
const TIMEOUTS = 8;

type Fate = 'done' | 'slow' | 'fail' | 'reject' | 'lost' | 'timeout';

const PROMPTS: Readonly<Record<Fate, string>> = {
  done: 'as requested',
  slow: '[[delay 3s]]',
  fail: '[[fail]]',
  reject: '[[reject]]',
  lost: '[[lost]]',
  timeout: '[[timeout]]',
};
/** The end of a job with this fate, and of its charge. */
const ENDS: Readonly<Record<Fate, string>> = {
  done: 'done, charged',
  slow: 'done, charged',
  fail: 'failed, refunded',
  reject: 'failed, released',
  lost: 'failed, refunded',
  timeout: 'failed, released',
};

const fateOf = (n: number): Fate => {
  if (n < TIMEOUTS) return 'timeout';
  return (['done', 'done', 'slow', 'done', 'fail', 'done', 'reject', 'done', 'lost', 'done'] as const)[
    n % 10
  ]!;
};

const RAILS = [...sandboxRails(), ...sandboxRails().slice(1)];

jest.setTimeout(240_000);

describe('hundreds of jobs of mixed fates', () => {
  let deployment: Deployment;
  let folder: string;
  const callers: { readonly rail: string; readonly caller: RailCaller; readonly money: bigint }[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lamppost-many-'));
    const shared = { DATA_DIR: folder, JOB_DEADLINE_SECONDS: String(DEADLINE_SECONDS) };
    deployment = await Deployment.start(await cloneDatabase(), [
      { ...shared, ROLE: 'api' },
      { ...shared, ROLE: 'worker' },
      { ...shared, ROLE: 'worker' },
    ]);
    const money = PRICE * BigInt(JOBS);
    for (const rail of RAILS) {
      callers.push({ rail, caller: await callersOf(rail).caller(deployment.asWorld(), money), money });
    }
  });

  afterAll(async () => {
    await deployment.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const walletBalance = async (wallet: string): Promise<bigint> => {
    const answer = await fetch(`${await deployment.url(0)}/v1/agent/x402/balance/${wallet}`);
    return BigInt(((await answer.json()) as { balanceMicro: number }).balanceMicro);
  };

  const buy = async (n: number): Promise<void> => {
    const { caller } = callers[n % callers.length]!;
    const body = { prompt: `${n} ${PROMPTS[fateOf(n)]}` };
    const credential = await caller.credential(body, undefined, URL);
    await deployment.post(0, URL, body, { ...credential, prefer: 'wait=0' });
  };

  it('all end, with the money of each where it belongs, although workers die meanwhile', async () => {
    const numbers = Array.from({ length: JOBS }, (_, n) => n);
    const slowOnes = Promise.all(numbers.splice(0, TIMEOUTS).map(buy));
    const killing = (async () => {
      // The workers are killed when a quarter, a half and three quarters of the jobs have begun.
      for (const [worker, left] of [
        [1, 0.75],
        [2, 0.5],
        [1, 0.25],
      ] as const) {
        await expectEventually(() => numbers.length < JOBS * left);
        await deployment.kill(worker);
      }
    })();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let n = numbers.shift(); n !== undefined; n = numbers.shift()) await buy(n);
      }),
    );
    await Promise.all([slowOnes, killing]);

    for (const until = Date.now() + 120_000; Date.now() < until; await pause(500)) {
      const open = await deployment.db.rows(
        `select from charge where state in ('held', 'settling')
         union all select from job where status = 'running' or (status = 'failed' and not settled_late) limit 1`,
      );
      if (open.length === 0) break;
      await deployment.endLeases();
    }

    const ends = await deployment.db.rows<{
      rail: string;
      prompt: string;
      status: string;
      state: string;
      media: number;
    }>(
      `select c.rail, coalesce(o.request->>'prompt', '') as prompt, j.status, c.state,
         (select count(*)::int from media m where m.job_id = j.id) as media
       from charge c join job j on j.charge_id = c.id left join sandbox_operation o on o.reference = j.id`,
    );
    const wrong = ends.filter(({ prompt, status, state, media }) => {
      // The provider has no operation for a job that it never accepted: it refused the job, or the submission timed
      // out.
      const fate = prompt === '' ? 'reject' : fateOf(Number.parseInt(prompt, 10));
      return `${status}, ${state}` !== ENDS[fate] || media !== (status === 'done' ? 1 : 0);
    });
    expect(wrong).toEqual([]);
    expect(ends).toHaveLength(JOBS);

    const spent = await Promise.all(
      callers.map(async ({ rail, caller, money }) => {
        // A payment by x402 can't be refunded on the chain. A late failure credits the payer's prepaid wallet.
        const credited = rail === 'x402' ? await walletBalance(caller.payer) : 0n;
        return money - (await caller.left()) - credited;
      }),
    );
    const charged = ends.filter(({ state }) => state === 'charged').length;
    expect(spent.reduce((sum, one) => sum + one, 0n)).toBe(PRICE * BigInt(charged));
    await deployment.expectPeace();
  });
});
