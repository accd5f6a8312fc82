import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expectEventually } from '../support/eventually';
import { cloneDatabase } from '../support/postgres';
import { Deployment } from './deployment';
import { Hands, type Moment } from './moments';
import { type Goods, MONEY, PayingClient } from './paying-client';

/** The job is accepted at once and its medium is made by whoever polls it. */
const imageOf = (prompt: string): Goods => ({
  url: '/v1/agent/generate',
  body: { prompt },
  price: 30_770n,
});

const STORING: Moment = { tables: ['media'], statements: /insert into media/, waiting: 1 };
const REFUNDING: Moment = {
  tables: ['ledger_entry'],
  statements: /update charge set state = 'refunded'/,
  waiting: 1,
};

const API = 0;
const WORKERS = [1, 2] as const;

jest.setTimeout(120_000);

/** One process takes calls, two others poll, store and refund: any of them may die in the middle of it. */
describe('a paid job that runs', () => {
  let deployment: Deployment;
  let blobs: string;
  let client: PayingClient;
  let hands: Hands;

  beforeAll(async () => {
    blobs = mkdtempSync(join(tmpdir(), 'lamppost-blobs-'));
    const shared = { DATA_DIR: blobs };
    deployment = await Deployment.start(await cloneDatabase(), [
      { ...shared, ROLE: 'api', MEDIA_SYNC_SECONDS: '1' },
      { ...shared, ROLE: 'worker' },
      { ...shared, ROLE: 'worker' },
    ]);
  });

  beforeEach(async () => {
    hands = await Hands.on(deployment.databaseUrl);
  });

  afterEach(async () => {
    await hands.close();
    await deployment.expectPeace();
  });

  afterAll(async () => {
    await deployment.stop();
    rmSync(blobs, { recursive: true, force: true });
  });

  const buy = async (prompt: string): Promise<string> => {
    client = await PayingClient.on(deployment, 'api-key', imageOf(prompt));
    const answer = await client.send(API);
    const { status, jobId } = (answer?.body ?? {}) as { readonly status?: string; readonly jobId?: string };
    expect(status).toBe('running');
    return jobId ?? '';
  };

  const statusOf = async (id: string): Promise<string | undefined> =>
    (await deployment.db.rows<{ status: string }>('select status from job where id = $1', [id]))[0]?.status;

  const until = (id: string, status: string): Promise<void> =>
    expectEventually(async () => {
      await deployment.endLeases();
      return (await statusOf(id)) === status;
    });

  const untilCharge = (state: string): Promise<void> =>
    expectEventually(async () => (await client.states()).join(' ') === state);

  const mediaOf = async (id: string): Promise<readonly { readonly blob_key: string }[]> =>
    deployment.db.rows('select blob_key from media where job_id = $1', [id]);

  /** Its file can be had by any process that answers calls. */
  const expectServed = async (id: string): Promise<void> => {
    const job = await fetch(`${await deployment.url(API)}/v1/agent/jobs/${id}`);
    const { url } = (await job.json()) as { url: string };
    const file = await fetch(`${await deployment.url(API)}${new URL(url).pathname}`);
    expect([job.status, file.status, file.headers.get('content-type')]).toEqual([200, 200, 'image/png']);
    await file.arrayBuffer();
  };

  it('is finished by others when the process that answered the call dies', async () => {
    const id = await buy('[[delay 2s]] the caller is on its own');

    await deployment.kill(API);

    await until(id, 'done');
    await client.expectPaidOnce();
    await expectServed(id);
  });

  it.each(['letGo', 'cutOff'] as const)(
    'is finished once when its worker dies while it writes down the end (%s)',
    async (fate) => {
      await hands.hold(STORING);
      const id = await buy(`[[delay 1.5s]] worker dies, ${fate}`);
      await hands.untilReached(STORING);

      await Promise.all(WORKERS.map((worker) => deployment.kill(worker)));
      if (fate === 'cutOff') await hands.cutOff(STORING);
      await hands.letGo();

      await until(id, 'done');
      expect(await mediaOf(id)).toHaveLength(1);
      await client.expectPaidOnce();
      await expectServed(id);
    },
  );

  it('is finished once when its worker stood still and another took over', async () => {
    await hands.hold(STORING);
    const id = await buy('[[delay 1.5s]] a worker stands still');
    await hands.untilReached(STORING);
    // Both stand still: whoever holds the job is among them. One of them comes back, and finds it due.
    await Promise.all(WORKERS.map((worker) => deployment.pause(worker)));
    await hands.cutOff(STORING);
    await hands.letGo();
    await deployment.endLeases();

    await Promise.all(WORKERS.map((worker) => deployment.resume(worker)));

    await until(id, 'done');
    const [media] = await mediaOf(id);
    await expectServed(id);
    expect(media?.blob_key).toMatch(/^media\/med_/);
    await client.expectPaidOnce();
  });

  it.each(['letGo', 'cutOff'] as const)(
    'is refunded once when its worker dies while it gives the money back (%s)',
    async (fate) => {
      const id = await buy(`[[fail]] ${fate}`);
      await untilCharge('charged');
      await hands.hold(REFUNDING);
      await hands.untilReached(REFUNDING);

      await Promise.all(WORKERS.map((worker) => deployment.kill(worker)));
      if (fate === 'cutOff') await hands.cutOff(REFUNDING);
      await hands.letGo();

      await untilCharge('refunded');
      expect(await statusOf(id)).toBe('failed');
      expect(await client.caller.left()).toBe(MONEY);
    },
  );

  it('ends and is charged although the queue was emptied under it', async () => {
    const id = await buy('[[delay 2s]] the queue is wiped');

    await deployment.db.rows(`do $$ declare name text; begin
      for name in select tablename from pg_tables where schemaname = 'bullmq' and tablename <> 'migration' loop
        execute format('truncate bullmq.%I cascade', name);
      end loop; end $$`);

    // Clocks are looked at every 15 seconds, and wound again when a tick is a minute late; a new worker winds its own.
    await deployment.kill(WORKERS[0]);
    await until(id, 'done');
    await client.expectPaidOnce();
  });
});
