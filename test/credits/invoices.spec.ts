import { Browser } from '../support/browser';
import { expectEnvelope } from '../support/envelope';
import { FakeStripe } from '../support/fake-stripe';
import { World } from '../support/world';

const ADDRESS = { name: 'Acme Robots Ltd', lines: '1 Lamp Street\nLondon N1', country: 'GB', taxId: 'GB123' };
const SELLER = { name: 'Lamps Inc', address: '2 Light Road\nParis', taxId: 'FR1' };

describe('the invoice of a top-up', () => {
  let stripe: FakeStripe;
  let world: World;
  let ann: Browser;

  beforeAll(async () => {
    stripe = await new FakeStripe().start();
    const { name, taxId } = SELLER;
    const seller = { SELLER_NAME: name, SELLER_ADDRESS: '2 Light Road; Paris', SELLER_TAX_ID: taxId };
    world = await World.start({ ...stripe.env, ...seller });
  });

  beforeEach(async () => {
    ann = await Browser.registered(world);
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await stripe.stop();
  });

  const bought = async (usd = 25, who = ann): Promise<string> => {
    const { body } = await who.post('/v1/account/billing/top-up', { usd });
    return body.topUpId as string;
  };
  const paid = async (usd?: number): Promise<string> => {
    const id = await bought(usd);
    await stripe.notify(world, stripe.completed(id));
    return id;
  };
  const shown = async (id: string) => (await ann.get(`/v1/account/billing/top-ups/${id}`)).body;
  const numbers = async () => {
    const rows = await world.db.rows<{ number: string }>('select number from invoice order by number');
    return rows.map(({ number }) => Number(number));
  };

  it('copies seller and buyer when it is paid, and stays as it was', async () => {
    await ann.send('PUT', '/v1/account/billing/address', ADDRESS);
    const id = await paid(25);

    const first = await shown(id);
    expect(first).toEqual({
      id,
      state: 'paid',
      amountMicro: 25_000_000,
      refundedMicro: 0,
      processor: 'stripe',
      createdAt: expect.any(String),
      decidedAt: expect.any(String),
      invoice: { number: expect.any(Number), issuedAt: expect.any(String), seller: SELLER, buyer: ADDRESS },
    });

    await ann.send('PUT', '/v1/account/billing/address', {
      ...ADDRESS,
      name: 'Another Name',
      taxId: undefined,
    });
    expect(await shown(id)).toEqual(first);
    await expect(world.db.rows(`update invoice set buyer_name = 'x'`)).rejects.toThrow('never changes');
    await expect(world.db.rows('delete from invoice')).rejects.toThrow('never changes');
    await expect(world.db.rows('update invoice_counter set last = last + 2')).rejects.toThrow('no gap');
    expect((await shown(await paid(5))).invoice.buyer).toEqual({
      ...ADDRESS,
      name: 'Another Name',
      taxId: undefined,
    });
    await ann.delete('/v1/account/billing/address');
    expect((await shown(await paid(5))).invoice).not.toHaveProperty('buyer');
  });

  it('has the next number, without a gap, also when many are paid and reported twice at once', async () => {
    const before = (await numbers()).length;
    const ids = await Promise.all(Array.from({ length: 8 }, () => bought()));

    await Promise.all(
      ids.flatMap((id) => [
        stripe.notify(world, stripe.completed(id)),
        stripe.notify(world, stripe.completed(id, {}, 'async_payment_succeeded')),
      ]),
    );

    const all = await numbers();
    expect(all).toEqual(Array.from({ length: before + 8 }, (_, at) => at + 1));
  });

  it('is not made for a refused top-up, which shows as refused, and a refund shows beside it', async () => {
    const refused = await bought();
    await stripe.notify(world, stripe.completed(refused, {}, 'expired'));
    const id = await paid(10);
    const { invoice } = await shown(id);

    await stripe.notify(world, stripe.refunded(id, 400));
    expect(await shown(id)).toMatchObject({ state: 'partly_refunded', refundedMicro: 4_000_000, invoice });
    await stripe.notify(world, stripe.refunded(id, 1_000));
    await stripe.notify(world, stripe.refunded(id, 400)); // This event arrives late.
    expect(await shown(id)).toMatchObject({ state: 'refunded', refundedMicro: 10_000_000, invoice });

    const { topUps, nextCursor } = (await ann.get('/v1/account/billing/top-ups?limit=1')).body;
    expect(topUps).toEqual([await shown(id)]);
    const next = (await ann.get(`/v1/account/billing/top-ups?limit=1&cursor=${String(nextCursor)}`)).body;
    expect(next.topUps).toMatchObject([{ id: refused, state: 'refused', refundedMicro: 0 }]);
    expect(next.topUps[0]).not.toHaveProperty('invoice');
    expect((await ann.get('/v1/account')).body.balanceMicro).toBe(10_000_000);
  });

  it('is for roles that pay, and nobody sees that of others', async () => {
    const id = await paid();
    await ann.founds();
    const [dev, billing, admin] = [
      await ann.colleague('developer'),
      await ann.colleague('billing'),
      await ann.colleague('admin'),
    ];
    const url = '/v1/account/billing/address';

    expectEnvelope(await billing.get(`/v1/account/billing/top-ups/${id}`), {
      status: 404,
      code: 'NOT_FOUND',
    });
    expectEnvelope(await dev.get('/v1/account/billing/top-ups'), { status: 403, code: 'ROLE_REQUIRED' });
    expectEnvelope(await billing.send('PUT', url, ADDRESS), { status: 403, code: 'ROLE_REQUIRED' });
    expect((await admin.send('PUT', url, ADDRESS)).status).toBe(200);
    expect((await billing.get(url)).body).toEqual({ address: ADDRESS });
    for (const wrong of [{ country: 'gb' }, { name: ' ' }, { lines: '' }]) {
      expectEnvelope(await ann.send('PUT', url, { ...ADDRESS, ...wrong }), {
        status: 400,
        code: 'INVALID_REQUEST',
        param: Object.keys(wrong)[0],
      });
    }
  });
});
