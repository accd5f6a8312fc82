import { Budget, Lamppost } from '../../clients/typescript/src/lamppost';
import { type LocalChain, startLocalChain } from '../../tools/chain/local-chain';
import { USDC_ADDRESS } from '../../tools/chain/test-usdc';
import { ChainPayer, PAY_TO, carryingOut, openPayment } from '../adversary/chain-payer';

const PRICE = 20_000;

/** The client signs for two calls of a service that refuses both, and that still executes one of the two payments. */
describe('signed payments whose time is over, on a chain', () => {
  let chain: LocalChain;

  beforeAll(async () => {
    chain = await startLocalChain();
  });
  afterAll(() => chain.stop());
  afterEach(() => jest.restoreAllMocks());

  it('are spent where they were taken, and free again where nobody has taken them', async () => {
    const payer = await new ChainPayer(chain).fundOnChain(1_000_000n);
    const chainId = await chain.client.getChainId();
    const payments: string[] = [];
    const offer = {
      scheme: 'exact',
      network: `eip155:${chainId}`,
      amount: String(PRICE),
      asset: USDC_ADDRESS,
      payTo: PAY_TO,
      maxTimeoutSeconds: 60,
      extra: { name: 'USD Coin', version: '2' },
    };
    const required = Buffer.from(JSON.stringify({ accepts: [offer], resource: {} })).toString('base64');
    const send: typeof fetch = (_, init) => {
      const payment = new Headers(init?.headers).get('payment-signature');
      if (payment !== null) payments.push(payment);
      const headers = payment === null ? { 'payment-required': required } : undefined;
      return Promise.resolve(new Response('{}', { status: 402, ...(headers && { headers }) }));
    };
    const budget = new Budget({ total: 1, rpcUrl: chain.rpcUrl });
    const client = new Lamppost({
      baseUrl: 'https://shop.example',
      wallet: payer.account,
      assets: [{ network: `eip155:${chainId}`, asset: USDC_ADDRESS }],
      budget,
      fetch: send,
    });
    for (const text of ['One.', 'Two.']) await client.chat(text).catch(() => undefined);
    expect(await budget.state()).toMatchObject({ spentMicro: 0, reservedMicro: 2 * PRICE });

    const data = carryingOut(openPayment(payments[0]!));
    const hash = await chain.client.sendTransaction({
      account: chain.accounts[1]!.address,
      to: USDC_ADDRESS,
      data,
    });
    await chain.client.waitForTransactionReceipt({ hash });
    await chain.client.increaseTime({ seconds: 300 });
    await chain.client.mine({ blocks: 1 });
    const later = Date.now() + 300_000;
    jest.spyOn(Date, 'now').mockReturnValue(later);

    expect(await budget.state()).toEqual({
      spentMicro: PRICE,
      reservedMicro: 0,
      leftMicro: 1_000_000 - PRICE,
    });
  });
});
