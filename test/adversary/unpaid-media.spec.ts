import { type FakeFacilitator, startFakeFacilitator } from '../support/fake-facilitator';
import { signedPayment } from '../contract/rail-callers';
import { KeyCaller, WalletCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { type Answer, World } from '../support/world';

const IMAGES = '/v1/agent/images/generations';
const VIDEOS = '/v1/agent/videos';
const IMAGE = { prompt: 'a red fox that nobody paid for' };
const VIDEO = { prompt: '[[delay 60s]] a long film that nobody paid for' };

/** Every route that takes an id: none may return the result. */
const routesOf = async (world: World): Promise<readonly string[]> => {
  const [job] = await world.db.rows<{ id: string; media_id: string | null }>(
    'select id, media_id from job order by created_at desc limit 1',
  );
  const id = job?.id ?? '';
  return [
    `/v1/agent/jobs/${id}`,
    `/v1/agent/videos/${id}`,
    `/v1/agent/videos/${id}/content`,
    ...(job?.media_id === null || job === undefined ? [] : [`/media/${job.media_id}`]),
  ];
};

const statusesOf = async (
  world: World,
  headers: Readonly<Record<string, string>> = {},
): Promise<number[]> => {
  const statuses: number[] = [];
  for (const route of await routesOf(world)) statuses.push((await world.get(route, headers)).status);
  return statuses;
};

const untilJobIs = (world: World, status: string): Promise<void> =>
  expectEventually(async () => {
    const [job] = await world.db.rows<{ status: string }>(
      'select status from job order by created_at desc limit 1',
    );
    return job?.status === status;
  });

describe('work that was not paid for', () => {
  let facilitator: FakeFacilitator;
  let world: World;

  beforeAll(async () => {
    facilitator = await startFakeFacilitator();
    world = await World.start({
      ...facilitator.settings,
      MEDIA_SYNC_SECONDS: '20',
    });
  });

  afterEach(async () => {
    facilitator.reset();
    await world.expectBooksToBalance();
  });

  afterAll(async () => {
    await world.stop();
    await facilitator.stop();
  });

  const buy = async (url: string, body: object): Promise<Answer> => {
    const payment = await signedPayment(world, new WalletCaller(), body, { url });
    return world.post(url, body, { 'payment-signature': payment });
  };

  const failToSettle = (): void =>
    facilitator.fail('settle', {
      kind: 'says',
      answer: { success: false, errorReason: 'insufficient_funds', transaction: '', network: 'eip155:8453' },
    });

  it('cannot be had by the charge id that the refusal names', async () => {
    failToSettle();

    const refused = await buy(IMAGES, IMAGE);

    expect(refused.status).toBe(402);
    const receipt = await world.get(`/v1/agent/charges/${refused.headers['x-charge-id']}`);
    expect(receipt.body).toMatchObject({ state: 'released' });
    expect(receipt.body).not.toHaveProperty('jobId');
    expect(new Set(await statusesOf(world))).toEqual(new Set([404]));
  });

  it('is deleted with its charge, so that nothing of it can leak later', async () => {
    failToSettle();
    await buy(IMAGES, IMAGE);
    await expectEventually(async () => {
      const rows = await world.db.rows(
        `select from media m join job j on j.id = m.job_id join charge c on c.id = j.charge_id
         where c.state = 'released'`,
      );
      return rows.length === 0;
    });
    expect(new Set(await statusesOf(world))).toEqual(new Set([404]));
  });

  it('is nobody’s while its payment is in doubt, and the payer’s once it is settled', async () => {
    facilitator.fail('settle', { kind: 'cut' });

    const doubtful = await buy(IMAGES, IMAGE);

    expect(doubtful.status).toBe(503);
    const chargeId = String(doubtful.headers['x-charge-id']);
    const receipt = await world.get(`/v1/agent/charges/${chargeId}`);
    expect(receipt.body).toMatchObject({ state: 'settling' });
    expect(receipt.body).not.toHaveProperty('jobId');
    await untilJobIs(world, 'done');
    expect(new Set(await statusesOf(world))).toEqual(new Set([404]));
    expect(new Set(await statusesOf(world, { prefer: 'wait=2' }))).toEqual(new Set([404]));

    facilitator.reset();
    await expectEventually(
      async () => (await world.get(`/v1/agent/charges/${chargeId}`)).body.state === 'charged',
    );
    const settled = await world.get(`/v1/agent/charges/${chargeId}`);
    const job = await world.get(`/v1/agent/jobs/${settled.body.jobId}`);
    expect(job.body).toMatchObject({ status: 'done', chargeState: 'charged' });
    expect((await world.get(new URL(job.body.url).pathname)).status).toBe(200);
  });

  it('is stopped at its provider, and stays closed, when it was accepted and never settled', async () => {
    failToSettle();

    const refused = await buy(VIDEOS, VIDEO);

    expect(refused.status).toBe(402);
    // The example of an answer is in the extensions.
    expect(JSON.stringify({ ...refused.body, extensions: undefined })).not.toContain('job_');
    await untilJobIs(world, 'failed');
    await expectEventually(async () => {
      const [operation] = await world.db.rows<{ cancelled: boolean }>(
        'select cancelled from sandbox_operation order by created_at desc limit 1',
      );
      return operation?.cancelled === true;
    });
    const [job] = await world.db.rows<{ error_code: string }>(
      'select error_code from job order by created_at desc limit 1',
    );
    expect(job).toEqual({ error_code: 'UNPAID' });
    expect(new Set(await statusesOf(world))).toEqual(new Set([404]));
  });

  it('is listed for its owner with its state and without an address', async () => {
    const { key, cookie } = await KeyCaller.register(world, 10_000_000n);
    const waiting = world.post(IMAGES, { prompt: '[[delay 3s]] a fox' }, { 'x-api-key': key });
    const listed = (): Promise<Answer> => world.get('/v1/account/jobs', { cookie });
    await expectEventually(async () => (await listed()).body.jobs.length > 0);

    const list = await listed();

    expect(list.body.jobs).toEqual([expect.objectContaining({ status: 'running', chargeState: 'held' })]);
    expect(list.body.jobs[0]).not.toHaveProperty('url');
    expect((await world.get(`/v1/agent/jobs/${list.body.jobs[0].id}`)).status).toBe(404);
    expect((await waiting).status).toBe(200);
  });

  it('reads failed once it was refunded', async () => {
    const { key } = await KeyCaller.register(world, 10_000_000n);
    const made = await world.post(VIDEOS, { prompt: '[[fail]] a film' }, { 'x-api-key': key });
    await untilJobIs(world, 'failed');
    await expectEventually(async () => {
      const [job] = await world.db.rows<{ state: string }>(
        'select c.state from job j join charge c on c.id = j.charge_id where j.id = $1',
        [made.body.id],
      );
      return job?.state === 'refunded';
    });
    const shown = await world.get(`/v1/agent/jobs/${made.body.id}`);
    expect(shown.body).toMatchObject({ status: 'failed', chargeState: 'refunded' });
  });
});
