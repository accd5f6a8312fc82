import { x402Client } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm';
import { createSIWxClientExtension } from '@x402/extensions/sign-in-with-x';
import { wrapFetchWithPayment } from '@x402/fetch';

import { freePort } from '../../tools/chain/free-port';
import { type LocalChain, startLocalChain } from '../../tools/chain/local-chain';
import { WalletCaller } from '../support/caller';
import { World } from '../support/world';

const PAY_TO = '0x000000000000000000000000000000000000bEEF';

const chatBy = (wallet?: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    messages: [{ role: 'user', content: 'hello' }],
    max_tokens: 16,
    ...(wallet === undefined ? {} : { payer: wallet }),
  }),
});

describe('stock clients on a real chain', () => {
  let chain: LocalChain;
  let world: World;
  let url: string;
  let caller: WalletCaller;

  beforeAll(async () => {
    chain = await startLocalChain();
    const port = await freePort();
    world = await World.start({
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      X402_FACILITATOR: 'local',
      X402_RPC_URL: chain.rpcUrl,
      X402_RELAYER_KEY: chain.accounts[0]!.privateKey,
      X402_PAY_TO: PAY_TO,
    });
    url = await world.listen(port);
  });

  beforeEach(async () => {
    caller = new WalletCaller();
    await chain.usdc.mint(caller.account.address, 20_000_000n);
  });

  afterEach(() => world.expectBooksToBalance());

  afterAll(async () => {
    await world.stop();
    await chain.stop();
  });

  const onChain = () => chain.usdc.balanceOf(caller.account.address);

  it('@x402/fetch pays a chat call exactly', async () => {
    const received = await chain.usdc.balanceOf(PAY_TO);

    const answer = await caller.payingFetch()(`${url}/v1/agent/chat`, chatBy());

    expect(answer.status).toBe(200);
    expect(await onChain()).toBe(20_000_000n - 2_000n);
    expect(await chain.usdc.balanceOf(PAY_TO)).toBe(received + 2_000n);
  });

  it('@x402/fetch tops up, and with its sign-in extension spends the balance first, then pays per call', async () => {
    await caller.payingFetch()(`${url}/v1/agent/x402/top-up?usd=1`, { method: 'POST' });
    const client = new x402Client().register('eip155:8453', new ExactEvmScheme(caller.account));
    client.registerExtension(createSIWxClientExtension({ signers: [caller.account] }));
    const pay = wrapFetchWithPayment(fetch, client);
    const balance = async (): Promise<number> =>
      (await world.get(`/v1/agent/x402/balance/${caller.wallet}`)).body.balanceMicro;

    const fromBalance = await pay(`${url}/v1/agent/chat`, chatBy(caller.wallet));
    const afterFirst = { onChain: await onChain(), balance: await balance() };
    const reserve = (micro: string): Promise<unknown> =>
      world.db.rows(`update ledger_account set reserved_micro = ${micro} where id = $1`, [
        `wallet:${caller.wallet.toLowerCase()}`,
      ]);
    await reserve('balance_micro'); // The rest is reserved.
    const perCall = await pay(`${url}/v1/agent/chat`, chatBy(caller.wallet));
    await reserve('0'); // The reserve is removed, so that the books balance.

    expect(fromBalance.status).toBe(200);
    expect(afterFirst).toEqual({ onChain: 19_000_000n, balance: 998_000 });
    expect(perCall.status).toBe(200);
    expect(await onChain()).toBe(19_000_000n - 2_000n);
  });
});
