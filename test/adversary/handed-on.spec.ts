import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { KeyReserves } from '#money/billing/ledger/key-reserves';
import { KeyReserveRepository } from '#money/billing/ledger/key-reserve.repository';
import { Rails } from '#money/billing/rails/rails';
import { micro } from '#kernel/money';
import { Browser } from '../support/browser';
import { expectEnvelope } from '../support/envelope';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';

const KEYS = '/v1/agent/keys';
/** The cost of a chat call below. */
const PRICE = 2_000;

interface Handed {
  readonly id: string;
  readonly key: string;
}

describe('money that was handed on', () => {
  let here: World;
  let there: World;
  let owner: Browser;
  let root: Handed;

  beforeAll(async () => {
    here = await World.start();
    there = await World.start({ DATABASE_URL: here.settings.databaseUrl! });
  });

  beforeEach(async () => {
    owner = await Browser.registered(here);
    root = await owner.makeKey();
  });

  afterEach(() => here.expectBooksToBalance());
  afterAll(async () => {
    await here.stop();
    await there.stop();
  });

  const give = (amount: number) =>
    here.app
      .get(AccountFunds, { strict: false })
      .topUp(creditsAccount(owner.id), micro(BigInt(amount)), `test:${owner.id}`);
  const by = ({ key }: Handed) => ({ 'x-api-key': key });
  const handed = async (from: Handed, limitMicro: number, more: object = {}): Promise<Handed> => {
    const answer = await here.post(KEYS, { limitMicro, expiresInSeconds: 600, ...more }, by(from));
    expect(answer.status).toBe(201);
    return answer.body as Handed;
  };
  const chat = (world: World, from: Handed, headers: object = {}) =>
    world.post(
      '/v1/agent/chat',
      { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 },
      { ...by(from), ...headers },
    );
  /** Sends this many calls by each key at the same time, through both processes. */
  const rush = async (keys: readonly Handed[], calls: number): Promise<Readonly<Record<number, number>>> => {
    const answers = await Promise.all(
      Array.from({ length: calls }, (_, n) => keys.map((key) => chat(n % 2 ? here : there, key))).flat(),
    );
    return Object.fromEntries(
      [200, 402, 401].map((code) => [code, answers.filter(({ status }) => status === code).length]),
    );
  };
  const spent = async (key: Handed): Promise<number> => {
    const row = await here.db.one<{ sum: string }>(
      'select coalesce(sum(spent_micro), 0)::text as sum from key_spend where key_id = $1',
      [key.id],
    );
    return Number(row?.sum);
  };
  const account = async () => (await owner.get('/v1/account')).body as Record<string, number>;
  const giveBack = (world: World) => world.app.get(KeyReserves, { strict: false }).giveBack();

  it('is spent to the last cent by three hundred calls at once, and not a cent more', async () => {
    await give(1_000_000);
    const parent = await handed(root, 10 * PRICE);
    const siblings = [await handed(parent, 6 * PRICE), await handed(parent, 6 * PRICE)];
    const reserved = await handed(root, 4 * PRICE, { reserve: true });
    const below = await handed(reserved, 900 * PRICE);

    const outcome = await rush([parent, ...siblings, reserved, below], 60);

    expect(outcome).toEqual({ 200: 14, 402: 286, 401: 0 });
    expect(await spent(parent)).toBe(10 * PRICE);
    expect(await spent(reserved)).toBe(4 * PRICE);
    for (const sibling of siblings) expect(await spent(sibling)).toBeLessThanOrEqual(6 * PRICE);
    expect(await account()).toMatchObject({ balanceMicro: 1_000_000 - 14 * PRICE, reservedMicro: 0 });
  });

  it('is no more for a hundred keys than for one', async () => {
    await give(PRICE);
    const keys: Handed[] = [];
    for (let n = 0; n < 90; n += 1) keys.push(await handed(root, 50 * PRICE));

    expect(await rush(keys, 1)).toEqual({ 200: 1, 402: 89, 401: 0 });
    for (let n = 0; n < 9; n += 1) await handed(root, PRICE);
    expectEnvelope(await here.post(KEYS, { limitMicro: 1, expiresInSeconds: 60 }, by(root)), {
      status: 409,
      code: 'TOO_MANY_KEYS',
    });
  });

  it('ends with the key above it in the middle of its calls, and what was set aside comes back once', async () => {
    await give(100_000);
    const parent = await handed(root, 20_000, { reserve: true });
    const children = [await handed(parent, 8_000, { reserve: true }), await handed(parent, 50_000)];

    const [outcome] = await Promise.all([
      rush(children, 10),
      here.send({ method: 'DELETE', url: `${KEYS}/${parent.id}`, headers: by(root) }),
    ]);
    await Promise.all([giveBack(here), giveBack(there), giveBack(here), giveBack(there)]);

    for (const child of children)
      await expectEventually(async () => (await chat(there, child)).status === 401);
    const { balanceMicro, reservedMicro } = await account();
    expect({ balanceMicro, reservedMicro }).toEqual({
      balanceMicro: 100_000 - (outcome[200] ?? 0) * PRICE,
      reservedMicro: 0,
    });
  });

  it('comes back when its time is up, also from a process that died before it could say so', async () => {
    await give(50_000);
    const [expired, dead] = [
      await handed(root, 10_000, { reserve: true }),
      await handed(root, 9_000, { reserve: true }),
    ];
    expect((await chat(here, dead)).status).toBe(200);
    await here.db.rows(`update api_key set expires_at = now() where id = $1`, [expired.id]);
    await here.db.rows(`update api_key set deleted_at = now() where id = $1`, [dead.id]);

    await Promise.all([giveBack(here), giveBack(there), giveBack(there)]);
    // A process that read the ended keys before gives the reserve back once more.
    await there.app.get(KeyReserveRepository, { strict: false }).giveBack(dead.id);

    expect(await account()).toMatchObject({ balanceMicro: 50_000 - PRICE, reservedMicro: 0 });
    expect(await spent(root)).toBe(PRICE);
  });

  it('that is refunded after its key has ended goes to its owner', async () => {
    await give(50_000);
    const parent = await handed(root, 20_000, { reserve: true });
    const child = await handed(parent, 10_000, { reserve: true });
    const charges = [await chat(here, child), await chat(here, child)].map((answer) =>
      String(answer.headers['x-charge-id']),
    );
    const refund = (id: string | undefined) =>
      here.app
        .get(Rails, { strict: false })
        .of('api-key')
        .refund(id ?? '');

    expect(await refund(charges[0])).toBe(true);
    expect(await account()).toMatchObject({ balanceMicro: 30_000, reservedMicro: 18_000 });
    await here.expectBooksToBalance();
    await here.send({ method: 'DELETE', url: `${KEYS}/${child.id}`, headers: by(parent) });
    expect(await refund(charges[1])).toBe(true);
    expect(await refund(charges[1])).toBe(false);
    expect(await account()).toMatchObject({ balanceMicro: 32_000, reservedMicro: 18_000 });
    await here.send({ method: 'DELETE', url: `${KEYS}/${parent.id}`, headers: by(root) });
    expect(await account()).toMatchObject({ balanceMicro: 50_000, reservedMicro: 0 });
  });

  it('and set aside is metered to the last token of a stream', async () => {
    await give(500_000);
    const child = await handed(root, 400_000, { reserve: true });

    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        (n % 2 ? here : there).post(
          '/v1/chat/completions',
          { messages: [{ role: 'user', content: `hello ${n}` }], max_tokens: 50, stream: n > 2 },
          by(child),
        ),
      ),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    const { balanceMicro, reservedMicro } = await account();
    expect(balanceMicro).toBe(100_000);
    expect(reservedMicro).toBe(400_000 - (await spent(child)));
    expect(await spent(child)).toBeGreaterThan(0);
  });

  it('answers nobody with what a sibling was answered', async () => {
    await give(50_000);
    const [one, other] = [await handed(root, 10_000), await handed(root, 10_000)];
    const mark = { 'idempotency-key': 'the same for both' };

    const first = await chat(here, one, mark);
    const second = await chat(there, other, mark);
    const again = await chat(there, one, mark);

    expect([first, second].map(({ headers }) => headers['idempotent-replayed'])).toEqual([
      undefined,
      undefined,
    ]);
    expect(second.headers['x-charge-id']).not.toBe(first.headers['x-charge-id']);
    expect(again.headers).toMatchObject({
      'idempotent-replayed': 'true',
      'x-charge-id': first.headers['x-charge-id'],
    });
    const retry = await chat(there, other, { 'x-stainless-retry-count': '1' });
    expect(retry.headers['x-charge-id']).not.toBe(first.headers['x-charge-id']);
  });

  it('takes no call of its owner for one of its own, also under an idempotency key that names it', async () => {
    await give(50_000);
    const one = await handed(root, 10_000);

    const owners = await chat(here, root, { 'idempotency-key': `${one.id}:the first call` });
    const own = await chat(there, one, { 'idempotency-key': 'the first call' });

    expect(own.status).toBe(200);
    expect(own.headers['idempotent-replayed']).toBeUndefined();
    expect(own.headers['x-charge-id']).not.toBe(owners.headers['x-charge-id']);
  });

  it('is out of reach for who was handed something else', async () => {
    await give(50_000);
    const [one, other] = [await handed(root, 10_000), await handed(root, 10_000)];
    const below = await handed(other, 5_000);

    for (const id of [other.id, below.id, root.id, one.id]) {
      expectEnvelope(await here.send({ method: 'DELETE', url: `${KEYS}/${id}`, headers: by(one) }), {
        status: 404,
        code: 'NOT_FOUND',
      });
    }
    expect((await here.get(KEYS, by(one))).body).toEqual({ keys: [], nextCursor: null });
    for (const url of ['/v1/account', '/v1/account/keys', '/v1/account/usage'])
      expect((await here.get(url, by(one))).status).toBe(401);
  });
});
