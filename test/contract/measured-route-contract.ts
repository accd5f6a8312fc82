import { ChargeService } from '#money/billing/calls/charge.service';
import { railNames } from '#money/billing/rails/rail-order';
import { paidRoutes } from '../support/paid-routes';
import { recordingForm } from '../support/recording-form';
import type { Answer, World } from '../support/world';
import { type Headers, type RailCaller, callersOf, waysToPay } from './rail-callers';
import type { RailStage } from './rail-stage';
import { failing, runsOf } from './route-handlers';

const MONEY = 400_000_000n;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly example?: string;
}

/** The address of a path with parameters, by their examples in `@ApiParam`. */
const addressOf = (path: string): string => {
  const { controller, method } = paidRoutes().get(path)!;
  const handler = (controller.prototype as Record<string, object>)[method]!;
  const parameters = (Reflect.getMetadata('swagger/apiParameters', handler) ?? []) as Parameter[];
  return parameters
    .filter((each) => each.in === 'path')
    .reduce((address, each) => address.replace(`:${each.name}`, each.example ?? ''), path);
};

interface Sent {
  readonly type: string;
  readonly payload: string | Buffer;
}

/** The promises of a paid route whose price is known only by its use or by its file. */
export const holdMeasuredRouteToContract = (path: string, stageOf: (way: string) => RailStage): void => {
  const { options } = paidRoutes().get(path)!;
  const url = addressOf(path);
  const isForm = options.form === 'file';
  const example = options.example.body as Readonly<Record<string, unknown>>;

  const sent = async (body: object): Promise<Sent> => {
    if (!isForm) return { type: 'application/json', payload: JSON.stringify(body) };
    const { file: _, ...fields } = body as Record<string, unknown>;
    const [type, payload] = await recordingForm(fields);
    return { type, payload };
  };

  describe.each(waysToPay(options.rails ?? railNames()))('on %s', (way) => {
    const fixture = callersOf(way);
    let caller: RailCaller;

    const world = (): World => stageOf(way).world;
    const post = async (headers: Headers, body: object = example): Promise<Answer> => {
      const { type, payload } = await sent(body);
      return world().send({ method: 'POST', url, headers: { 'content-type': type, ...headers }, payload });
    };
    const paid = async (more: Headers = {}, body: object = example): Promise<Answer> =>
      post({ ...(await caller.credential(body, undefined, url)), ...more }, body);
    const moneyOf = async (): Promise<bigint> => (await caller.left()) + ((await caller.credited?.()) ?? 0n);
    const priceOf = ({ headers }: Answer): bigint => BigInt(headers['x-charge-micro'] ?? -1);

    beforeEach(async () => {
      caller = await fixture.caller(world(), MONEY);
    });

    it('charges what was used, once for one mark', async () => {
      const mark = { 'idempotency-key': 'a-mark-of-a-measured-call' };

      const first = await paid(mark);
      const again = await paid(mark);

      expect([first.status, first.headers['x-charge-state']]).toEqual([200, 'charged']);
      expect(priceOf(first) > 0n).toBe(true);
      expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
      expect(again.headers['x-charge-id']).toBe(first.headers['x-charge-id']);
      expect(again.body).toEqual(first.body);
      expect(await caller.left()).toBe(MONEY - priceOf(first));
    });

    it('stores its answer for the time of the route', async () => {
      const { headers } = await paid();

      const [replay] = await world().db.rows<{ seconds: number }>(
        `select extract(epoch from expires_at - now())::float8 as seconds from replay where charge_id = $1`,
        [headers['x-charge-id']],
      );
      expect(replay!.seconds).toBeLessThanOrEqual(options.replaySeconds);
      expect(replay!.seconds).toBeGreaterThan(options.replaySeconds - 60);
    });

    it('takes no more than the caller allows', async () => {
      const answer = await paid({ 'x-max-price-micro': '1' });

      expect(answer.status).toBe(400);
      expect(await caller.left()).toBe(MONEY);
    });

    it('gives all of it back when the run fails', async () => {
      failing.add(path);
      const failed = await paid().finally(() => failing.delete(path));

      expect([failed.status, failed.headers['x-charge-state']]).toEqual([502, 'released']);
      expect(await caller.left()).toBe(MONEY);
    });

    it('is refunded once when its work proves worthless later', async () => {
      const charges = world().app.get(ChargeService, { strict: false });
      const first = await paid();
      const id = String(first.headers['x-charge-id']);
      expect(await moneyOf()).toBe(MONEY - priceOf(first));
      await fixture.collect?.(world());

      await charges.refund((await charges.find(id))!);
      await charges.refund((await charges.find(id))!);

      expect((await world().get(`/v1/agent/charges/${id}`)).body.state).toBe('refunded');
      expect(await moneyOf()).toBe(MONEY);
    });

    if (way !== 'channel') {
      it('never runs for a payer without money', async () => {
        const poor = await fixture.caller(world(), 1n);
        const runs = runsOf(path);

        const answer = await post(await poor.credential(example, undefined, url));

        expect([answer.status, runsOf(path)]).toEqual([402, runs]);
        expect(await poor.left()).toBe(1n);
      });
    }
  });
};
