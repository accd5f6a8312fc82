import { createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { wrapFetchWithPayment } from 'x402-fetch';

import { freePort } from '../../tools/chain/free-port';
import { type LocalChain, startLocalChain } from '../../tools/chain/local-chain';
import { WalletCaller } from '../support/caller';
import { World } from '../support/world';

/** `test/stories/stock-clients.spec.ts` covers the clients of the present version. */
describe('the stock client of the first version of x402, on a real chain', () => {
  let chain: LocalChain;
  let world: World;
  let url: string;

  beforeAll(async () => {
    chain = await startLocalChain();
    const port = await freePort();
    world = await World.start({
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      X402_FACILITATOR: 'local',
      X402_RPC_URL: chain.rpcUrl,
      X402_RELAYER_KEY: chain.accounts[0]!.privateKey,
      X402_PAY_TO: '0x000000000000000000000000000000000000bEEF',
    });
    url = await world.listen(port);
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await chain.stop();
  });

  it('pays a chat call exactly', async () => {
    const caller = new WalletCaller();
    await chain.usdc.mint(caller.account.address, 20_000_000n);
    const wallet = createWalletClient({
      account: privateKeyToAccount(caller.privateKey),
      chain: base,
      transport: http(chain.rpcUrl),
    });
    const pay = wrapFetchWithPayment(fetch, wallet as never);

    const answer = await pay(`${url}/v1/agent/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 }),
    });

    expect(answer.status).toBe(200);
    expect(await chain.usdc.balanceOf(caller.account.address)).toBe(20_000_000n - 2_000n);
  });
});
