import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ChargeService } from '#money/billing/calls/charge.service';
import { railNames } from '#money/billing/rails/rail-order';
import { expectEventually } from '../support/eventually';
import { paidRoutes } from '../support/paid-routes';
import type { Answer, World } from '../support/world';
import { type RailCaller, callersOf, waysToPay } from './rail-callers';
import { type RailStage, railStage } from './rail-stage';
import { holdBodiesToContract } from './route-bodies-contract';
import { failing, watchHandlers } from './route-handlers';

const MONEY = 400_000_000n;

/** Every rate limit is on and high. */
const COUNTED = {
  RATE_LIMIT_CHALLENGE: '5000',
  RATE_LIMIT_CHAT: '1000',
  RATE_LIMIT_MEDIA: '1000',
  RATE_LIMIT_TOP_UP: '1000',
};

/** Returns the service for a way to pay. */
type Stages = (way: string) => RailStage;

/** Starts the services on which the contract of routes runs: one with the sandbox, and one with a chain. */
export const routeStages = (
  settings: () => Promise<Readonly<Record<string, string>>> = () => Promise.resolve({}),
): Stages => {
  const stages: Record<string, RailStage> = {};
  const nameOf = (way: string): string => (way === 'channel' ? way : 'sandbox');

  beforeAll(async () => {
    watchHandlers();
    const own = await settings();
    for (const name of ['sandbox', 'channel'])
      stages[name] = await railStage(name, {
        ...COUNTED,
        ...own,
        DATA_DIR: mkdtempSync(join(tmpdir(), 'lamppost-contract-')),
      });
  });
  afterEach(() => Promise.all(Object.values(stages).map(({ world }) => world.expectBooksToBalance())));
  afterAll(() => Promise.all(Object.values(stages).map((stage) => stage.stop())));

  return (way) => stages[nameOf(way)]!;
};

interface Challenge {
  readonly resource: { readonly description: string };
  readonly accepts: readonly [{ readonly amount: string }];
}

const challengeIn = ({ status, headers, body }: Answer): Challenge => {
  const challenge = headers['payment-required'];
  if (challenge === undefined) {
    throw new Error(
      `The example got no challenge, but ${status} ${JSON.stringify(body)}. A route that needs settings or a vendor ` +
        'has `start` in its file <name>.paid-route.ts.',
    );
  }
  return JSON.parse(Buffer.from(challenge, 'base64').toString('utf8')) as Challenge;
};

/** The promises of every paid route, tested with its own example. */
export const holdRouteToContract = (path: string, stageOf: Stages): void => {
  const { options } = paidRoutes().get(path)!;
  const example = options.example.body;
  /** For a route that sells the settlement itself, nothing can fail afterwards. It repeats its answer. */
  const sellsSettlement = options.answer === 'after-settle';
  const world = (): World => stageOf('x402').world;
  const post = (body: object, headers: object = {}, to = world()): Promise<Answer> =>
    to.post(path, body, headers as Readonly<Record<string, string>>);
  const priceNow = async (): Promise<bigint> => BigInt(challengeIn(await post(example)).accepts[0].amount);

  it('says what it sells and what its example costs, and a quote says the same', async () => {
    const unpaid = await post(example);
    const { resource, accepts } = challengeIn(unpaid);
    const quoted = await world().post(`/v1/agent/quote?path=${path}`, example);

    expect([unpaid.status, unpaid.headers['x-charge-state']]).toEqual([402, 'none']);
    expect(resource.description).toContain(options.operation.sold);
    expect([quoted.status, String(quoted.body.priceMicro)]).toEqual([200, accepts[0].amount]);
  });

  it('is in the document, with its price, its example and its ways to pay', async () => {
    const documents = [
      await world().get('/v1/agent/openapi.json'),
      await world().get('/v1/extensions/openapi.json'),
    ];
    const [operation, ...more] = documents.flatMap(({ body }) => body.paths[path]?.post ?? []);
    expect(more).toEqual([]);

    expect(operation['x-payment-info'].price).toMatchObject({
      min: expect.any(String),
      max: expect.any(String),
    });
    expect(JSON.stringify(operation.requestBody)).toContain(JSON.stringify(example).slice(1, -1));
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining(['200', '400', '402', '429', '503']),
    );
    expect(operation.security.length).toBeGreaterThan(0);
  });

  it('refuses a body that is none', async () => {
    const { status, body } = await post({ ...example, maxPriceMicro: 'cheap' });

    expect([status, body.error.param]).toEqual([400, 'maxPriceMicro']);
  });

  if (!sellsSettlement) holdBodiesToContract(path, world);

  describe.each(waysToPay(options.rails ?? railNames()))('on %s', (way) => {
    const fixture = callersOf(way);
    const itAtAnyPrice = fixture.asksFirst === true ? it.skip : it;
    let caller: RailCaller;
    let price: bigint;

    const world = (): World => stageOf(way).world;
    const paid = async (body: object, more: object = {}): Promise<Answer> =>
      post(body, { ...(await caller.credential(body, price, path)), ...more }, world());
    const moneyOf = async (): Promise<bigint> => (await caller.left()) + ((await caller.credited?.()) ?? 0n);

    beforeEach(async () => {
      caller = await fixture.caller(world(), MONEY);
      price = await priceNow();
    });

    it('charges its price once, counts the payer, and answers the same mark the same', async () => {
      const mark = { 'idempotency-key': 'a-mark-of-the-contract' };

      const first = await paid(example, mark);
      const again = await paid(example, mark);

      expect([first.status, again.status]).toEqual([200, 200]);
      expect(first.headers).toMatchObject({
        'x-charge-state': 'charged',
        'x-charge-micro': price.toString(),
        'ratelimit-limit': expect.any(String),
      });
      expect(again.headers['x-charge-id']).toBe(first.headers['x-charge-id']);
      expect(again.headers['idempotent-replayed']).toBe('true');
      if (!sellsSettlement) expect(again.body).toEqual(first.body);
      expect(await caller.left()).toBe(MONEY - price);
    });

    if (options.answer === 'from-job') {
      it('has what it made at its address, and answers from its job where no answer was kept', async () => {
        const mark = { 'idempotency-key': 'a-mark-whose-answer-is-lost' };

        const first = await paid(example, mark);
        const chargeId = String(first.headers['x-charge-id']);
        await world().db.rows('delete from replay where charge_id = $1', [chargeId]);
        const again = await paid(example, mark);

        expect([first.status, again.status, again.headers['x-charge-id']]).toEqual([200, 200, chargeId]);
        expect(await caller.left()).toBe(MONEY - price);
        const { jobId } = (await world().get(`/v1/agent/charges/${chargeId}`)).body;
        const job = async (): Promise<Answer['body']> => (await world().get(`/v1/agent/jobs/${jobId}`)).body;
        await expectEventually(async () => (await job()).status === 'done');
        const { kind, url, chargeState } = await job();
        const medium = await world().get(new URL(url).pathname);
        expect([chargeState, medium.status]).toEqual(['charged', 200]);
        expect(medium.headers['content-type']).toContain(`${kind}/`);
      });
    }

    itAtAnyPrice('takes nothing for a rehearsal, above what the caller allows, or in vain', async () => {
      const rehearsed = await paid({ ...example, dryRun: true });
      const capped = await paid(example, { 'x-max-price-micro': String(price - 1n) });

      expect([rehearsed.status, rehearsed.body.dryRun, String(rehearsed.body.priceMicro)]).toEqual([
        200,
        true,
        price.toString(),
      ]);
      expect([capped.status, capped.body.error.code]).toEqual([400, 'PRICE_ABOVE_MAX']);
      expect(await caller.left()).toBe(MONEY);
    });

    if (!sellsSettlement) {
      it('gives all of it back when the run fails', async () => {
        failing.add(path);
        const failed = await paid(example).finally(() => failing.delete(path));

        expect([failed.status, failed.headers['x-charge-state']]).toEqual([502, 'released']);
        expect(await caller.left()).toBe(MONEY);
      });

      it('charges equal calls at once only once, and refuses their key to another body', async () => {
        const mark = { 'idempotency-key': 'a-mark-of-many' };
        const other = { ...example, tag: 'another body' };

        const answers = await Promise.all([1, 2, 3].map(() => paid(example, mark)));
        const refused = await post(
          other,
          { ...(await caller.credential(other, undefined, path)), ...mark },
          world(),
        );

        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
        expect(new Set(answers.map(({ headers }) => headers['x-charge-id'])).size).toBe(1);
        expect([409, 422]).toContain(refused.status);
        expect(await caller.left()).toBe(MONEY - price);
      });

      it('is refunded once when its work proves worthless later, and its media are gone', async () => {
        const charges = world().app.get(ChargeService, { strict: false });
        const first = await paid(example);
        const id = String(first.headers['x-charge-id']);
        const before = (await world().get(`/v1/agent/charges/${id}`)).body;
        expect(await moneyOf()).toBe(MONEY - price);
        await fixture.collect?.(world());

        await charges.refund((await charges.find(id))!);
        await charges.refund((await charges.find(id))!);

        expect((await world().get(`/v1/agent/charges/${id}`)).body.state).toBe('refunded');
        expect(await moneyOf()).toBe(MONEY);
        if (options.answer !== 'from-job') return;
        const job = (await world().get(`/v1/agent/jobs/${before.jobId}`)).body;
        expect([job.url, job.chargeState]).toEqual([undefined, 'refunded']);
      });
    }
  });
};
