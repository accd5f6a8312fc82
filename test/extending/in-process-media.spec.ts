import './sample-strips/in-the-list';

import { ChargeService } from '#money/billing/calls/charge.service';
import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { LeaseKeeper } from '#money/billing/charges/lease-keeper';
import { JobLeases } from '#work/jobs/job-leases';
import { InProcessMedia } from '#work/jobs/in-process-media';
import { DueJobsRepository } from '#work/jobs/due-jobs.repository';
import { JobRepository } from '#work/jobs/job.repository';
import { MediaRetentionProcessor } from '#work/jobs/media-retention.processor';
import { BlobStore } from '#platform/storage/blob-store';
import { signedPayment } from '../contract/rail-callers';
import { MOMENTS, stopAt } from '../faults/moments';
import { KeyCaller, WalletCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { Gate } from '../support/fake-provider';
import { type FakeFacilitator, startFakeFacilitator } from '../support/fake-facilitator';
import { type Answer, World } from '../support/world';

const STRIPS = '/v1/agent/sample-strips';
const STRIP = { text: 'A red fox in the snow.' };
const FUNDS = 1_000_000n;

interface JobRow {
  readonly id: string;
  readonly status: string;
  readonly charge_id: string;
  readonly media_id: string | null;
}

/** Repositories by the names of their steps. */
type Steps = Record<string, (...given: unknown[]) => Promise<never>>;

describe('a medium that is made in our own process', () => {
  let facilitator: FakeFacilitator;
  let world: World;
  let jobs: JobRepository;
  let dueJobs: DueJobsRepository;
  let caller: KeyCaller;

  beforeAll(async () => {
    facilitator = await startFakeFacilitator();
    world = await World.start(facilitator.settings);
    jobs = world.app.get(JobRepository, { strict: false });
    dueJobs = world.app.get(DueJobsRepository, { strict: false });
  });

  beforeEach(async () => {
    caller = await KeyCaller.register(world, FUNDS);
  });

  afterEach(async () => {
    facilitator.reset();
    await world.expectBooksToBalance();
  });

  afterAll(async () => {
    await world.stop();
    await facilitator.stop();
  });

  const buy = (more: object = {}): Promise<Answer> =>
    world.post(STRIPS, STRIP, { 'x-api-key': caller.key, ...more });

  const balance = (): Promise<bigint> =>
    world.app.get(AccountFunds, { strict: false }).balance(creditsAccount(caller.accountId));

  const newestJob = async (): Promise<JobRow> => {
    const [job] = await world.db.rows<JobRow>(
      'select id, status, charge_id, media_id from job order by created_at desc limit 1',
    );
    return job!;
  };

  const stateOf = async (chargeId: string): Promise<string> =>
    (await world.get(`/v1/agent/charges/${chargeId}`)).body.state;

  const isStored = async ({ id }: JobRow): Promise<boolean> =>
    (await world.app.get(BlobStore, { strict: false }).head(`media/${id}`)) !== undefined;

  const statusOf = async (address: string): Promise<number> =>
    (await world.get(new URL(address, world.settings.http.publicUrl).pathname)).status;

  /** Shows other processes that no process works on the job any more. */
  const forget = async ({ id, charge_id: chargeId }: JobRow): Promise<void> => {
    world.app.get(LeaseKeeper, { strict: false }).letGo(chargeId);
    world.app.get(JobLeases, { strict: false }).letGo(id);
    await world.db.rows(`update charge set lease_until = now() where id = $1`, [chargeId]);
    await world.db.rows(`update job set poll_at = now() where id = $1`, [id]);
  };

  it('is where its answer says, in its owner’s list and in the receipt, and says where it comes from', async () => {
    const { body, headers } = await buy();

    const { rawPayload: file, headers: about } = await world.app.inject(new URL(body.url).pathname);
    expect([about['content-type'], file.subarray(1, 4).toString()]).toEqual(['image/png', 'PNG']);
    const [source] = /\/v1\/agent\/provenance\/prv_[\w-]+/.exec(file.toString('latin1')) ?? [];
    expect((await world.get(source ?? '')).body).toMatchObject({ model: 'sample-strips', aiGenerated: true });
    const receipt = await world.get(`/v1/agent/charges/${headers['x-charge-id']}`);
    const { jobs: listed } = (await world.get('/v1/account/jobs', { cookie: caller.cookie })).body;
    expect(listed).toEqual([
      expect.objectContaining({
        id: receipt.body.jobId,
        status: 'done',
        url: body.url,
        chargeState: 'charged',
      }),
    ]);
  });

  it('is kept as long as all media, and no longer', async () => {
    const { body } = await buy();
    const job = await newestJob();

    const [kept] = await world.db.rows<{ days: number }>(
      'select extract(day from expires_at - created_at)::int as days from media where job_id = $1',
      [job.id],
    );
    await world.db.rows('update media set expires_at = now() where job_id = $1', [job.id]);

    expect(kept?.days).toBe(world.settings.media.retentionDays);
    expect(await statusOf(body.url)).toBe(404);
    await world.app.get(MediaRetentionProcessor, { strict: false }).run();
    expect(await isStored(job)).toBe(false);
  });

  it('is nobody’s until its charge is charged', async () => {
    let answer: Promise<Answer> | undefined;
    const hands = await stopAt(world.settings.databaseUrl!, { ...MOMENTS.SETTLING, waiting: 1 }, () => {
      answer = buy();
    });
    const { id, media_id: mediaId } = await newestJob();
    const before = [await statusOf(`/media/${mediaId}`), await statusOf(`/v1/agent/jobs/${id}`)];
    await hands.letGo();
    await hands.close();

    expect(before).toEqual([404, 404]);
    expect((await answer)?.body.url).toContain(`/media/${mediaId}`);
    expect(await statusOf(`/media/${mediaId}`)).toBe(200);
  });

  it('is gone when its payment fails after all', async () => {
    const refusal = {
      success: false,
      errorReason: 'insufficient_funds',
      transaction: '',
      network: 'eip155:8453',
    };
    facilitator.fail('settle', { kind: 'says', answer: refusal });
    const payment = await signedPayment(world, new WalletCaller(), STRIP, { url: STRIPS });

    const answer = await world.post(STRIPS, STRIP, { 'payment-signature': payment });

    const job = await newestJob();
    expect([answer.status, answer.headers['x-charge-state']]).toEqual([402, 'released']);
    expect(await statusOf(`/media/${job.media_id}`)).toBe(404);
    await world.app.get(MediaRetentionProcessor, { strict: false }).run();
    expect(await isStored(job)).toBe(false);
  });

  it('is gone when it is refunded later', async () => {
    const { body, headers } = await buy();
    const charges = world.app.get(ChargeService, { strict: false });

    await charges.refund((await charges.find(String(headers['x-charge-id'])))!);

    const { id } = await newestJob();
    expect(await statusOf(body.url)).toBe(404);
    expect((await world.get(`/v1/agent/jobs/${id}`)).body).toMatchObject({ status: 'failed' });
    expect(await balance()).toBe(FUNDS);
  });

  it('costs nothing when it is none', async () => {
    const media = world.app.get(InProcessMedia, { strict: false });
    const make = media.make.bind(media);
    media.make = (call, kind) => make(call, kind, () => Promise.resolve(Buffer.from('no picture')));

    const answer = await buy().finally(() => (media.make = make));

    const job = await newestJob();
    expect([answer.status, answer.headers['x-charge-state'], job.status]).toEqual([
      502,
      'released',
      'failed',
    ]);
    expect([await isStored(job), await balance()]).toEqual([false, FUNDS]);
  });

  it.each([
    ['before it is stored', (): Steps => dueJobs as never, 'keepTaken'],
    ['before it is written down', (): Steps => jobs as never, 'done'],
  ] as const)(
    'leaves nothing and costs nothing when its process dies or is suspended %s',
    async (_, stepsOf, step) => {
      const gate = new Gate(true);
      const steps = stepsOf();
      const real = steps[step]!.bind(steps);
      steps[step] = async (...given: unknown[]) => {
        await gate.pass();
        return real(...given);
      };
      const answer = buy();
      await gate.reached;
      const job = await newestJob();
      expect(await isStored(job)).toBe(step === 'done');

      await forget(job);

      await expectEventually(async () => (await stateOf(job.charge_id)) === 'released');
      await expectEventually(async () => !(await isStored(job)));
      expect(await balance()).toBe(FUNDS);
      gate.open();
      const late = await answer.finally(() => (steps[step] = real));
      expect([late.status, late.headers['x-charge-state']]).toEqual([503, 'released']);
      expect([(await newestJob()).status, await isStored(job)]).toEqual(['failed', false]);
    },
  );

  it('is paid for when its process dies after it was written down, and the same call has it', async () => {
    const mark = { 'idempotency-key': 'a-process-dies' };
    let answer: Promise<Answer> | undefined;
    const hands = await stopAt(world.settings.databaseUrl!, { ...MOMENTS.SETTLING, waiting: 1 }, () => {
      answer = buy(mark);
    });
    await hands.cutOff(MOMENTS.SETTLING);
    await hands.letGo();
    await hands.close();
    await answer;
    const job = await newestJob();
    await forget(job);
    await expectEventually(async () => (await stateOf(job.charge_id)) === 'charged');

    const again = await buy(mark);

    expect(again.headers).toMatchObject({ 'x-charge-id': job.charge_id, 'idempotent-replayed': 'true' });
    expect(again.body.url).toContain(`/media/${job.media_id}`);
    expect((await world.get(`/v1/agent/charges/${job.charge_id}`)).body.jobId).toBe(job.id);
    expect(await balance()).toBe(FUNDS - 1_022n);
  });
});
