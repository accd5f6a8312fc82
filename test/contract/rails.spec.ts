import { WalletCaller } from '../support/caller';
import { type Answer, World } from '../support/world';
import { CHAT, chargesOn, chatOn, holdToContract, saying } from './rail-contract';
import {
  RAIL_CALLERS,
  type RailName,
  callersOf,
  sandboxRails,
  signedPayment,
  waysToPay,
} from './rail-callers';
import { type RailStage, railStage } from './rail-stage';

const PRICE = 2_000n;

describe('every rail', () => {
  let world: World;
  let url: string;

  const chat = chatOn(() => world);
  const charges = chargesOn(() => world);

  beforeAll(async () => {
    world = await World.start();
    url = await world.listen();
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  describe.each(waysToPay(sandboxRails()))('%s', (way) => {
    const { rail = way } = callersOf(way);
    const later = sandboxRails().slice(sandboxRails().indexOf(rail) + 1);
    holdToContract(way, callersOf(way), later.map(callersOf), { world: () => world, url: () => url });
  });

  describe('channel', () => {
    let stage: RailStage;

    beforeAll(async () => {
      stage = await railStage('channel');
    });
    afterEach(() => stage.world.expectBooksToBalance());
    afterAll(() => stage.stop());

    holdToContract('channel', callersOf('channel'), sandboxRails().map(callersOf), {
      world: () => stage.world,
      url: () => stage.url,
    });
  });

  describe('together in one call', () => {
    it.each([
      ['a payment before a key and a sign-in', ['x402', 'api-key', 'wallet']],
      ['a key before a sign-in', ['api-key', 'wallet']],
      ['a payment before a sign-in', ['x402', 'wallet']],
    ] as const)('take %s', async (_, rails: readonly RailName[]) => {
      const callers = await Promise.all(rails.map((rail) => RAIL_CALLERS[rail].caller(world, 10_000n)));
      const credentials = await Promise.all(callers.map((caller) => caller.credential(CHAT)));

      const answer = await chat(CHAT, ...credentials);

      expect(answer.status).toBe(200);
      expect(await Promise.all(callers.map((caller) => caller.left()))).toEqual(
        rails.map((__, place) => (place === 0 ? 8_000n : 10_000n)),
      );
    });

    it('leave a stranger Bearer of a stock client out of it', async () => {
      const caller = await RAIL_CALLERS.wallet.caller(world, 10_000n);

      const answer = await chat(CHAT, await caller.credential(CHAT), { authorization: 'Bearer none' });
      const alone = await chat(CHAT, { authorization: 'Bearer none' });

      expect([answer.status, alone.status]).toEqual([200, 401]);
      expect(await caller.left()).toBe(8_000n);
    });
  });

  describe('x402, by its own marks', () => {
    it('takes one signature once: again for the same call, never for another', async () => {
      const caller = await RAIL_CALLERS.x402.caller(world, 10_000n);
      const signed = await caller.credential(CHAT, PRICE);

      const answers = await Promise.all([1, 2, 3, 4].map(() => chat(CHAT, signed)));
      const other = await chat(saying('Another thing.'), signed);

      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(3);
      expect(new Set(answers.map(({ headers }) => headers['payment-response'])).size).toBe(1);
      expect([other.status, other.body.error.code]).toEqual([402, 'INVALID_PAYMENT']);
      expect(other.headers['payment-required']).toBeDefined();
      expect(await caller.left()).toBe(8_000n);
    });

    it('takes one payment-identifier once: again for the same call, 409 for another', async () => {
      const wallet = new WalletCaller();
      const pay = async (body: object): Promise<Answer> => {
        const signed = await signedPayment(world, wallet, body, { paymentId: 'order-00000000000001' });
        return chat(body, { 'payment-signature': signed });
      };

      const first = await pay(CHAT);
      const again = await pay(CHAT);
      const other = await pay(saying('Another thing.'));

      expect([first.status, again.status]).toEqual([200, 200]);
      expect(again.headers).toMatchObject({
        'idempotent-replayed': 'true',
        'x-charge-id': first.headers['x-charge-id'],
      });
      expect([other.status, other.body.error.code]).toEqual([409, 'IDEMPOTENCY_MISMATCH']);
      expect(await charges(wallet.wallet)).toEqual(['charged']);
    });
  });
});
