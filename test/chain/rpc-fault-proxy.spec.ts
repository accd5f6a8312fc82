import { createPublicClient, createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type LocalChain, startLocalChain } from '../../tools/chain/local-chain';
import { type RpcFaultProxy, startRpcFaultProxy } from '../../tools/chain/rpc-fault-proxy';

describe('the fault proxy', () => {
  let chain: LocalChain;
  let proxy: RpcFaultProxy;

  beforeAll(async () => {
    chain = await startLocalChain();
    proxy = await startRpcFaultProxy(chain.rpcUrl);
  });

  afterEach(() => proxy.reset());

  afterAll(async () => {
    await proxy.stop();
    await chain.stop();
  });

  const client = (timeout = 5_000) =>
    createPublicClient({ transport: http(proxy.url, { retryCount: 0, timeout }) });

  it('passes calls through and counts them', async () => {
    expect(await client().getChainId()).toBe(8453);
    expect(await client().getChainId()).toBe(8453);

    expect(proxy.calls('eth_chainId')).toBe(2);
    expect(proxy.calls('eth_blockNumber')).toBe(0);
  });

  it('is down for one method the given number of times', async () => {
    proxy.fail('eth_chainId', 'down', 1);

    await expect(client().getChainId()).rejects.toThrow('503');
    expect(await client().getChainId()).toBe(8453);
    expect(proxy.calls('eth_chainId')).toBe(2);
  });

  it('hangs for all methods until reset', async () => {
    proxy.fail('*', 'hang');

    await expect(client(100).getBlockNumber()).rejects.toThrow('took too long');
    proxy.reset();

    expect(await client().getChainId()).toBe(8453);
    expect(proxy.calls('eth_blockNumber')).toBe(0);
  });

  it('lets a hanging caller go at reset', async () => {
    proxy.fail('eth_chainId', 'hang');
    const answer = client(20_000).getChainId();
    answer.catch(() => undefined);
    while (proxy.calls('eth_chainId') === 0) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }

    proxy.reset();

    await expect(answer).rejects.toThrow('HTTP request failed');
  });

  it('broadcasts a transaction and cuts the reply', async () => {
    proxy.fail('eth_sendRawTransaction', 'drop-reply');
    const wallet = createWalletClient({
      account: privateKeyToAccount(chain.accounts[0]!.privateKey),
      chain: chain.client.chain,
      transport: http(proxy.url, { retryCount: 0 }),
    });
    const to = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

    await expect(wallet.sendTransaction({ to, value: 7n })).rejects.toThrow('HTTP request failed');

    await chain.mine();
    expect(await chain.client.getBalance({ address: to })).toBe(7n);
    expect(proxy.calls('eth_sendRawTransaction')).toBe(1);
  });
});
