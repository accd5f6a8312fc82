import { Events } from '#notices/outbox/events';
import { RefundSweepProcessor } from '#work/jobs/refund-sweep.processor';
import { signedPayment } from '../contract/rail-callers';
import { KeyCaller, WalletCaller } from '../support/caller';
import { catalogOf, filmEntry, textEntry } from '../support/catalogs';
import { expectEventually } from '../support/eventually';
import { FakeFal } from '../support/fake-fal';
import { type Answer, World } from '../support/world';

type Headers = Readonly<Record<string, string>>;

const CATALOG = catalogOf(
  [filmEntry('film', ['fal:fal-ai/veo3/fast', 'sandbox:video'], { deadlineSeconds: 600 })],
  [textEntry('words', ['sandbox:chat'])],
);
const FUNDS = 50_000_000n;
const SLOW = 'waves [[delay 600s]]';

describe('cancelling a job', () => {
  let world: World;
  let fal: FakeFal;
  let caller: KeyCaller;
  let key: Headers;

  const arrive = async (): Promise<void> => {
    caller = await KeyCaller.register(world, FUNDS);
    key = { 'x-api-key': caller.key };
  };

  const film = async (headers = key, prompt = SLOW): Promise<string> => {
    const answer = await world.post('/v1/agent/generate', { prompt, duration: 4 }, headers);
    expect(answer.body).toMatchObject({ status: 'running' });
    return answer.body.jobId as string;
  };

  const cancel = (id: string, headers: Headers = key): Promise<Answer> =>
    world.send({ method: 'POST', url: `/v1/agent/jobs/${id}/cancel`, headers: { ...headers } });

  const jobOf = async (id: string): Promise<Answer['body']> => (await world.get(`/v1/agent/jobs/${id}`)).body;

  const balance = async (): Promise<bigint> =>
    BigInt((await world.get('/v1/agent/balance', key)).body.balanceMicro);

  const refunds = async (id: string): Promise<number> => {
    const row = await world.db.one<{ count: string }>(
      `select count(*) from ledger_entry where kind = 'refund' and charge_id = (select charge_id from job where id = $1)`,
      [id],
    );
    return Number(row?.count);
  };

  const age = (id: string, what: string) =>
    world.db.rows(`update job set poll_at = now(), ${what} where id = $1`, [id]);

  const lookNow = (id: string) => age(id, 'polls = polls');

  const CANCELLED = {
    status: 'failed',
    errorCode: 'CANCELLED',
    chargeState: 'refunded',
    cancellable: false,
  };

  describe('at the sandbox', () => {
    beforeAll(async () => {
      world = await World.start();
    });

    beforeEach(arrive);

    afterEach(() => world.expectBooksToBalance());

    afterAll(() => world.stop());

    it('gives the money back to an account, for its key and for its session', async () => {
      const first = await film();
      const second = await film();
      expect(await jobOf(first)).toMatchObject({ status: 'running', cancellable: true });

      const byKey = await cancel(first);
      const origin = new URL(world.settings.http.publicUrl).origin;
      const bySession = await cancel(second, { cookie: caller.cookie, origin });

      expect([byKey.status, bySession.status]).toEqual([200, 200]);
      expect(byKey.body).toMatchObject({ id: first, ...CANCELLED });
      expect(bySession.body).toMatchObject({ id: second, ...CANCELLED });
      expect(await balance()).toBe(FUNDS);
      const reported = world.app.get(Events, { strict: false });
      const shown = (await reported.ofJob(first)).map((event) => reported.present(event));
      expect(shown).toMatchObject([
        { type: 'job.accepted', data: { id: first, cancellable: true } },
        { type: 'job.failed', data: { id: first, errorCode: 'CANCELLED', cancellable: false } },
      ]);
      expect((await world.get(`/v1/agent/videos/${first}`)).body).toMatchObject({
        status: 'failed',
        error: { code: 'CANCELLED' },
      });
    });

    it('gives the money back to a wallet', async () => {
      const wallet = await new WalletCaller().fund(world, FUNDS);
      const headers = { 'sign-in-with-x': await wallet.signIn(world) };
      const id = await film(headers);

      expect((await cancel(id, headers)).body).toMatchObject(CANCELLED);
      expect((await world.get(`/v1/agent/x402/balance/${wallet.wallet}`)).body.balanceMicro).toBe(
        Number(FUNDS),
      );
    });

    it('gives the money back to the wallet that has paid by x402, once it signs in', async () => {
      const wallet = new WalletCaller();
      const body = { prompt: SLOW, duration: 4 };
      const payment = await signedPayment(world, wallet, body, { url: '/v1/agent/generate' });
      const paid = await world.post('/v1/agent/generate', body, { 'payment-signature': payment });
      const headers = { 'sign-in-with-x': await wallet.signIn(world) };

      expect((await cancel(paid.body.jobId, { 'payment-signature': payment })).status).toBe(401);
      expect((await cancel(paid.body.jobId, headers)).body).toMatchObject(CANCELLED);
      expect((await world.get(`/v1/agent/x402/balance/${wallet.wallet}`)).body.balanceMicro).toBe(
        Number(paid.headers['x-charge-micro']),
      );
    });

    it('gives the money back once, however often it is asked', async () => {
      const id = await film();

      const together = await Promise.all([1, 2, 3, 4].map(() => cancel(id)));
      const later = await cancel(id);

      expect([...together, later].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      expect(later.body).toMatchObject(CANCELLED);
      expect(await refunds(id)).toBe(1);
      expect(await balance()).toBe(FUNDS);
    });

    it('is not for those whose money would not come back anyway', async () => {
      const strict = await World.start({ X402_LATE_FAILURE_CREDIT: 'false' });
      try {
        const wallet = new WalletCaller();
        const body = { prompt: SLOW, duration: 4 };
        const payment = await signedPayment(strict, wallet, body, { url: '/v1/agent/generate' });
        const paid = await strict.post('/v1/agent/generate', body, { 'payment-signature': payment });
        const job = await strict.get(paid.body.poll);
        const refused = await strict.send({
          method: 'POST',
          url: `${paid.body.poll}/cancel`,
          headers: { 'sign-in-with-x': await wallet.signIn(strict) },
        });

        expect(job.body).toMatchObject({ status: 'running', cancellable: false });
        expect(refused.body.error.code).toBe('CANCEL_TOO_LATE');
      } finally {
        await strict.stop();
      }
    });
    it('is refused to a caller who does not own it, even with its id', async () => {
      const id = await film();
      const neighbour = await KeyCaller.register(world, 0n);

      expect((await cancel(id, {})).body.error.code).toBe('MISSING_CREDENTIALS');
      expect((await cancel(id, { 'x-api-key': neighbour.key })).status).toBe(404);
      expect((await cancel(id, { cookie: caller.cookie, origin: 'https://evil.test' })).status).toBe(403);
      expect((await cancel('job_unknown')).status).toBe(404);
      expect(await jobOf(id)).toMatchObject({ status: 'running', chargeState: 'charged' });
    });

    it('is refused once it is done', async () => {
      await world.post('/v1/agent/generate', { prompt: 'a lamp' }, key);
      const { jobs } = (await world.get('/v1/agent/jobs', key)).body;

      expect((await cancel(jobs[0].id)).body.error).toMatchObject({
        code: 'CANCEL_TOO_LATE',
        retryable: false,
      });
      expect(jobs).toMatchObject([{ status: 'done', cancellable: false, chargeState: 'charged' }]);
    });

    it('is refused where the provider does not cancel it, and it runs on to its end', async () => {
      const id = await film(key, 'waves [[delay 1s]] [[uncancellable]]');

      expect((await cancel(id)).status).toBe(409);
      expect((await cancel(id)).status).toBe(409);
      await expectEventually(async () => (await jobOf(id)).status === 'done');
      expect(await jobOf(id)).toMatchObject({ chargeState: 'charged', url: expect.any(String) });
      expect(await balance()).toBeLessThan(FUNDS);
    });
  });

  describe('at a provider', () => {
    beforeAll(async () => {
      fal = await FakeFal.start();
      world = await World.start({
        ...fal.env,
        ...CATALOG,
        ALLOW_SANDBOX_MIX: 'true',
        FETCH_ALLOW_HOSTS: fal.host,
      });
    });

    beforeEach(async () => {
      await arrive();
      fal.words = ['queued'];
    });

    afterEach(async () => {
      fal.forgiveAll();
      fal.removesAll = false;
      await world.expectBooksToBalance();
    });

    afterAll(async () => {
      await world.stop();
      await fal.stop();
    });

    it('is refused where the provider has begun, without a request to it', async () => {
      fal.words = ['running'];
      const id = await film();

      expect((await cancel(id)).status).toBe(409);
      expect(fal.accepted.at(-1)?.cancelled).toBe(false);
      expect(await jobOf(id)).toMatchObject({ status: 'running', cancellable: false });
      const asked = fal.seen.length;
      expect((await cancel(id)).status).toBe(409);
      expect(fal.seen.slice(asked).filter(({ path }) => path.endsWith('/cancel'))).toEqual([]);
      fal.accepted.at(-1)!.words = ['completed'];
      await lookNow(id);
      await expectEventually(async () => (await jobOf(id)).status === 'done');
    });

    it('is refused where the provider cannot be asked, and asking again may help', async () => {
      const id = await film();
      fal.failNext('status', 'reset', 'reset', 'reset', 'reset');

      expect((await cancel(id)).status).toBe(409);
      fal.forgiveAll();
      expect((await cancel(id)).status).toBe(200);
    });
    it('races with another cancellation: both get one answer, and the provider is asked once', async () => {
      const id = await film();
      const gate = fal.holdNext('cancel', { taken: false });

      const first = cancel(id);
      await gate.reached;
      const second = cancel(id);
      gate.open();

      expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([200, 200]);
      expect(fal.seen.filter(({ path }) => path.endsWith(`${fal.accepted.at(-1)!.id}/cancel`))).toHaveLength(
        1,
      );
      expect(await refunds(id)).toBe(1);
    });

    it.each([
      ['that says so', false],
      ['that swears to have stopped it', true],
    ])('races with the end of the work at a provider %s', async (_, lies) => {
      const id = await film();
      fal.removesAll = lies;
      const gate = fal.holdNext('cancel', { taken: false });
      const asked = cancel(id);
      await gate.reached;
      fal.accepted.at(-1)!.words = ['completed'];
      await lookNow(id);
      await expectEventually(async () => (await jobOf(id)).status === 'done');
      gate.open();

      expect((await asked).status).toBe(409);
      expect(await jobOf(id)).toMatchObject({ status: 'done', chargeState: 'charged' });
      expect(await refunds(id)).toBe(0);
    });

    it('races with its deadline, whose refund is the only one', async () => {
      const id = await film();
      const gate = fal.holdNext('cancel', { taken: false });
      const asked = cancel(id);
      await gate.reached;
      await age(id, `deadline_at = now() - interval '1 second'`);
      await expectEventually(async () => (await jobOf(id)).status === 'failed');
      gate.open();

      expect((await asked).status).toBe(409);
      await expectEventually(async () => (await jobOf(id)).chargeState === 'refunded');
      await world.app.get(RefundSweepProcessor, { strict: false }).run();
      expect(await jobOf(id)).toMatchObject({ errorCode: 'DEADLINE' });
      expect(await refunds(id)).toBe(1);
    });

    it('races with a look that sees it stopped first', async () => {
      const id = await film();
      const gate = fal.holdNext('cancel');
      const asked = cancel(id);
      await gate.reached;
      await lookNow(id);
      await expectEventually(async () => (await jobOf(id)).status === 'failed');
      gate.open();

      expect((await asked).body).toMatchObject({ errorCode: 'CANCELLED' });
      expect(await refunds(id)).toBe(1);
    });
    /** The rows that a dead process leaves behind: the intent without its result. */
    const died = (id: string) => age(id, `cancel_asked_at = now() - interval '1 minute'`);

    it('outlives a process that dies before its answer: another process asks', async () => {
      const id = await film();
      await died(id);

      await expectEventually(async () => (await jobOf(id)).chargeState === 'refunded');
      expect(await jobOf(id)).toMatchObject(CANCELLED);
      expect(fal.accepted.at(-1)?.cancelled).toBe(true);
    });

    it('outlives one that dies once the provider has stopped: somebody else writes it down', async () => {
      const id = await film();
      fal.accepted.at(-1)!.words = ['cancelled'];
      await died(id);

      await expectEventually(async () => (await jobOf(id)).chargeState === 'refunded');
      expect(await jobOf(id)).toMatchObject(CANCELLED);
      expect(await refunds(id)).toBe(1);
    });

    it('outlives one that dies over work that has begun: it runs on to its end', async () => {
      fal.words = ['running'];
      const id = await film();
      await died(id);
      await expectEventually(async () => {
        const row = await world.db.one<{ asked: boolean }>(
          'select cancel_asked_at is not null as asked from job where id = $1',
          [id],
        );
        return row?.asked === false;
      });
      fal.accepted.at(-1)!.words = ['completed'];
      await lookNow(id);

      await expectEventually(async () => (await jobOf(id)).status === 'done');
      expect(await jobOf(id)).toMatchObject({ chargeState: 'charged' });
    });
  });
});
