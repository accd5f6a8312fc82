import { WalletCaller } from '../support/caller';
import { type Answer, World } from '../support/world';
import { CHAT_URL, signedPayment } from './rail-callers';

const CHAT = { messages: [{ role: 'user', content: 'Say something long.' }], max_tokens: 8_000 };
const PRICE = { modelId: 'lumen-flash', ...CHAT };

describe('a quote for a wallet that has paid in 100 USD', () => {
  let world: World;
  let wallet: WalletCaller;

  const quote = async (body: object): Promise<Answer> => world.post('/v1/agent/quote', { ...PRICE, ...body });
  const chatOf = async (caller: WalletCaller, body: object): Promise<Answer> =>
    world.post(CHAT_URL, body, { 'sign-in-with-x': await caller.signIn(world) });

  beforeAll(async () => {
    world = await World.start();
    wallet = new WalletCaller();
    const topUp = `${await world.listen()}/v1/agent/x402/top-up?usd=100`;
    expect((await wallet.payingFetch()(topUp, { method: 'POST' })).status).toBe(200);
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  it('shows its volume tier beside the list price', async () => {
    const [plain, theirs] = [await quote({}), await quote({ payer: wallet.wallet })];

    expect(plain.body).toMatchObject({ priceMicro: 11_472, listPriceMicro: 11_472 });
    expect(theirs.body).toMatchObject({ priceMicro: 10_899, listPriceMicro: 11_472 });
  });

  it('is honoured when that wallet pays, on either of its rails', async () => {
    const { quoteId } = (await quote({ payer: wallet.wallet })).body;
    const body = { ...CHAT, quoteId, payer: wallet.wallet };

    const prepaid = await chatOf(wallet, body);
    const signed = await signedPayment(world, wallet, body);
    const byCall = await world.post(CHAT_URL, body, { 'payment-signature': signed });

    expect([prepaid.status, prepaid.headers['x-charge-micro']]).toEqual([200, '10899']);
    expect([byCall.status, byCall.headers['x-charge-micro']]).toEqual([200, '10899']);
  });

  it('is worth nothing to anybody else', async () => {
    const { quoteId } = (await quote({ payer: wallet.wallet })).body;
    const other = await new WalletCaller().fund(world, 100_000n);

    const answer = await chatOf(other, { ...CHAT, quoteId });

    expect([answer.status, answer.body.error.code]).toEqual([409, 'QUOTE_MISMATCH']);
  });
});
