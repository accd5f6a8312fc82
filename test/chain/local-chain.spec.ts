import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Address, type Hex, parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { PortTakenError } from '../../tools/chain/anvil-process';
import { freePort } from '../../tools/chain/free-port';
import { type LocalChain, startLocalChain } from '../../tools/chain/local-chain';
import { USDC_ADDRESS, signAuthorization, usdcAbi } from '../../tools/chain/test-usdc';

const PAYEE: Address = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';
const MULTICALL3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11';
const ROOT = path.resolve(__dirname, '../..');

const isAnswering = (rpcUrl: string): Promise<boolean> =>
  fetch(rpcUrl, { method: 'POST', body: '{}' }).then(
    () => true,
    () => false,
  );

const silenceOf = async (rpcUrl: string): Promise<boolean> => {
  for (let waitedMs = 0; waitedMs < 5_000; waitedMs += 20) {
    if (!(await isAnswering(rpcUrl))) {
      return true;
    }
    await pause(20);
  }
  return false;
};

describe('the local chain', () => {
  let chain: LocalChain;
  let owner: LocalChain['accounts'][number];

  beforeAll(async () => {
    chain = await startLocalChain();
    owner = chain.accounts[1]!;
  });

  afterAll(() => chain.stop());

  const payFromWallet = async (wallet: Address, signer: Hex): Promise<void> => {
    const fields = { from: wallet, to: PAYEE, value: 1_000n };
    const { authorization, signature } = await signAuthorization(signer, fields);
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    const hash = await chain.client.writeContract({
      address: USDC_ADDRESS,
      abi: usdcAbi,
      functionName: 'transferWithAuthorization',
      args: [from, to, value, validAfter, validBefore, nonce, signature],
      account: privateKeyToAccount(chain.accounts[0]!.privateKey),
    });
    await chain.client.waitForTransactionReceipt({ hash });
  };

  it('is Base by number and listens below the ports of outgoing connections', async () => {
    expect(await chain.client.getChainId()).toBe(8453);
    expect(Number(new URL(chain.rpcUrl).port)).toBeLessThan(32_768);
  });

  it('lets a contract wallet pay by the signature of its owner, and of nobody else', async () => {
    await chain.smartWallets.deploy(owner.address);
    const wallet = await chain.smartWallets.addressOf(owner.address);
    await chain.usdc.mint(wallet, 5_000n);

    await payFromWallet(wallet, owner.privateKey);
    const byStranger = payFromWallet(wallet, chain.accounts[2]!.privateKey);

    await expect(byStranger).rejects.toThrow('FiatTokenV2: invalid signature');
    expect(await chain.usdc.balanceOf(wallet)).toBe(4_000n);
    expect(await chain.usdc.balanceOf(PAYEE)).toBe(1_000n);
  });

  it('verifies the wrapped signature of a wallet that does not exist yet', async () => {
    const stranger = chain.accounts[3]!;
    const wallet = await chain.smartWallets.addressOf(stranger.address);
    const plain = await privateKeyToAccount(stranger.privateKey).signMessage({ message: 'hello' });

    const signature = chain.smartWallets.wrap(stranger.address, plain);

    expect(await chain.client.getCode({ address: wallet })).toBeUndefined();
    expect(await chain.client.verifyMessage({ address: wallet, message: 'hello', signature })).toBe(true);
    expect(await chain.client.verifyMessage({ address: wallet, message: 'bye', signature })).toBe(false);
  });

  it('answers many calls in one through Multicall3, and says which failed', async () => {
    const token = { address: USDC_ADDRESS, abi: usdcAbi } as const;
    const ethAbi = parseAbi(['function getEthBalance(address) view returns (uint256)']);
    await chain.setEth(PAYEE, 42n);

    const [wei, moved] = await chain.client.multicall({
      contracts: [
        { address: MULTICALL3, abi: ethAbi, functionName: 'getEthBalance', args: [PAYEE] },
        { ...token, functionName: 'transfer', args: [PAYEE, 1n] },
      ],
    });

    expect(wei).toEqual({ status: 'success', result: 42n });
    expect(moved.status).toBe('failure');
  });

  it('mints in parallel without losing any', async () => {
    const wallet = chain.accounts[4]!.address;

    await Promise.all(Array.from({ length: 20 }, () => chain.usdc.mint(wallet, 3n)));

    expect(await chain.usdc.balanceOf(wallet)).toBe(60n);
    expect(await chain.client.getTransactionCount({ address: wallet })).toBe(0);
  });

  it('keeps a transaction waiting while mining is paused', async () => {
    const wallet = chain.accounts[5]!.address;
    await chain.pauseMining();
    const minted = chain.usdc.mint(wallet, 9n);
    await pause(100);
    const before = await chain.usdc.balanceOf(wallet);

    await chain.resumeMining();
    await minted;

    expect([before, await chain.usdc.balanceOf(wallet)]).toEqual([0n, 9n]);
  });

  it('refuses a port that is taken and says so', async () => {
    const port = Number(new URL(chain.rpcUrl).port);

    await expect(startLocalChain({ port })).rejects.toThrow(PortTakenError);
  });
});

describe('the life of the local chain', () => {
  let child: ChildProcess | undefined;

  afterEach(() => child?.kill('SIGKILL'));

  const run = async (args: string[], env: Record<string, string>, until: RegExp): Promise<string> => {
    child = spawn(process.execPath, ['-r', './tools/typescript.cjs', ...args], {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    for await (const chunk of child.stdout!) {
      output += String(chunk);
      if (until.test(output)) {
        break;
      }
    }
    return output;
  };

  it('does not answer any more after stop, and stops twice without complaint', async () => {
    const chain = await startLocalChain();

    await chain.stop();
    await chain.stop();

    expect(await isAnswering(chain.rpcUrl)).toBe(false);
  });

  it('makes blocks by itself at an interval, and helpers need not wait for them', async () => {
    const chain = await startLocalChain({ blockTimeSeconds: 600 });

    await chain.usdc.mint(PAYEE, 5n);

    expect(await chain.usdc.balanceOf(PAYEE)).toBe(5n);
    await chain.stop();
  });

  it('ends with the process that started it, even one that is killed with -9', async () => {
    const script = `require('./tools/chain/local-chain').startLocalChain().then((chain) => {
      console.log('at ' + chain.rpcUrl + ' ');
      setInterval(() => undefined, 1000);
    });`;
    const output = await run(['-e', script], {}, /at \S+ /);
    const rpcUrl = /at (\S+) /.exec(output)![1]!;
    const before = await isAnswering(rpcUrl);

    child!.kill('SIGKILL');

    expect(before).toBe(true);
    expect(await silenceOf(rpcUrl)).toBe(true);
  });

  it('prints settings and a funded wallet as npm run chain, and leaves nothing after SIGTERM', async () => {
    const port = await freePort();
    const output = await run(['tools/chain/run.ts'], { CHAIN_PORT: `${port}` }, /Ctrl-C/);
    const rpcUrl = /X402_RPC_URL=(\S+)/.exec(output)![1]!;
    const before = await isAnswering(rpcUrl);

    child!.kill('SIGTERM');
    const [code] = (await once(child!, 'exit')) as [number];

    expect(output).toContain('TEST WALLETS ONLY');
    expect(output).toMatch(/X402_RELAYER_KEY=0x[0-9a-f]{64}\n/);
    expect([before, code]).toEqual([true, 0]);
    expect(await isAnswering(rpcUrl)).toBe(false);
  });
});
