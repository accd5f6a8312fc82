import { PortTakenError } from './anvil-process';
import { type LocalChain, startLocalChain } from './local-chain';

const DEFAULT_PORT = 8545;
const CALLER_FUNDS_MICRO = 1_000_000_000n; // 1,000 USDC are enough for several of the most expensive calls.

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const portFromEnvironment = (): number => {
  const text = process.env.CHAIN_PORT;
  if (text === undefined || text === '') {
    return DEFAULT_PORT;
  }
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) {
    throw new Error(`CHAIN_PORT must be a port from 1 to 65535, not ${text}.`);
  }
  return port;
};

const describe = (chain: LocalChain): string => {
  const [relayer, payee, caller] = chain.accounts;
  return `A local chain with id 8453 runs at ${chain.rpcUrl}.
TEST WALLETS ONLY: these keys are known to everybody. Never send real funds to these addresses.

Settings for the service:
  X402_FACILITATOR=local
  X402_RPC_URL=${chain.rpcUrl}
  X402_RELAYER_KEY=${relayer!.privateKey}
  X402_PAY_TO=${payee!.address}

A caller's wallet with 1000 test USDC:
  address ${caller!.address}
  key     ${caller!.privateKey}

Test USDC is at ${chain.usdc.address}. Ctrl-C ends the chain and forgets everything on it.`;
};

const untilSignal = (): Promise<'signal'> =>
  new Promise((resolve) => {
    // A listener for signals alone does not keep Node running.
    const keepAlive = setInterval(() => undefined, 60_000);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => {
        clearInterval(keepAlive);
        resolve('signal');
      });
    }
  });

const main = async (): Promise<void> => {
  // This listens for signals before the start, so that an early Ctrl-C also stops the chain.
  const stopped = untilSignal();
  const chain = await startLocalChain({ port: portFromEnvironment() });
  await chain.usdc.mint(chain.accounts[2]!.address, CALLER_FUNDS_MICRO);
  say(describe(chain));
  const end = await Promise.race([stopped, chain.exited]);
  await chain.stop();
  if (end !== 'signal') {
    throw new Error('The node of the local chain ended unexpectedly.');
  }
};

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const hint = error instanceof PortTakenError ? ' Set CHAIN_PORT to choose one.' : '';
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}${hint}\n`);
    process.exit(1);
  },
);
