import { BATCH_SETTLEMENT_ADDRESS, ERC3009_DEPOSIT_COLLECTOR_ADDRESS } from '@x402/evm';
import type { Address } from 'viem';
import { type AnvilProcess, startAnvil } from './anvil-process';
import { compiledContract } from './compile';
import { TestChannels } from './test-channels';
import { type LocalClient, localClient } from './local-client';
import { Mining } from './mining';
import { Operator } from './operator';
import { SmartWallets } from './smart-wallets';
import { type TestAccount, testAccounts } from './test-accounts';
import { TestUsdc, USDC_ADDRESS } from './test-usdc';

export interface LocalChainOptions {
  /** The port; by default a free one below 32768. */
  readonly port?: number;
  /**
   * The seconds between two blocks. By default, each transaction gets a block at once. Base makes a block every 2
   * seconds.
   */
  readonly blockTimeSeconds?: number;
  /** The chain id; by default that of Base. */
  readonly chainId?: number;
}

export interface LocalChain {
  readonly rpcUrl: string;
  /** Process id of the node. */
  readonly pid: number;
  /** Resolves when the node has exited, for any reason. */
  readonly exited: Promise<void>;
  /** Each account starts with 10,000 ETH and no USDC. The helpers never send transactions from them. */
  readonly accounts: readonly TestAccount[];
  readonly usdc: TestUsdc;
  /** Payment channels of the scheme batch-settlement, at their published addresses. */
  readonly channels: TestChannels;
  readonly smartWallets: SmartWallets;
  /** The client for everything without a helper: reads, raw transactions, storage, time. */
  readonly client: LocalClient;
  setEth(account: Address, wei: bigint): Promise<void>;
  mine(blocks?: number): Promise<void>;
  /**
   * From this call on, the chain accepts transactions, including those of the helpers, but makes no block until
   * `resumeMining` or `mine`.
   */
  pauseMining(): Promise<void>;
  resumeMining(): Promise<void>;
  /** Removes the newest blocks with their transactions, like a reorganisation. */
  forget(blocks: number): Promise<void>;
  stop(): Promise<void>;
}

const MULTICALL3_ADDRESS: Address = '0xcA11bde05977b3631167028862bE2a173976CA11';
const ACCOUNT_COUNT = 10;

/**
 * Starts a local Base with the chain id 8453. A test USDC, payment channels and Multicall3 have their real addresses.
 */
export const startLocalChain = async (options: LocalChainOptions = {}): Promise<LocalChain> => {
  const anvil = await startAnvil({ ...options, accountCount: ACCOUNT_COUNT });
  try {
    return await furnish(anvil, options);
  } catch (error) {
    await anvil.stop();
    throw error;
  }
};

const furnish = async (
  anvil: AnvilProcess,
  { blockTimeSeconds, chainId }: LocalChainOptions,
): Promise<LocalChain> => {
  const client = localClient(anvil.rpcUrl, chainId);
  const mining = new Mining(client, blockTimeSeconds);
  const accounts = testAccounts(ACCOUNT_COUNT);
  const operator = new Operator(client, accounts.at(-1)!.address, mining);

  await client.setCode({ address: USDC_ADDRESS, bytecode: compiledContract('TestUsdc').runtimeCode });
  await client.setCode({ address: MULTICALL3_ADDRESS, bytecode: compiledContract('Multicall3').runtimeCode });
  await client.setCode({
    address: BATCH_SETTLEMENT_ADDRESS,
    bytecode: compiledContract('BatchSettlement').runtimeCode,
  });
  await client.setCode({
    address: ERC3009_DEPOSIT_COLLECTOR_ADDRESS,
    bytecode: compiledContract('AuthorizationCollector').runtimeCode,
  });
  const deployment = await operator.send({ data: compiledContract('SmartWalletFactory').creationCode });
  const { contractAddress: factory } = await client.getTransactionReceipt({ hash: deployment });

  return {
    ...anvil,
    accounts: accounts.slice(0, -1),
    usdc: new TestUsdc(client, operator),
    channels: new TestChannels(client),
    smartWallets: new SmartWallets(factory!, client, operator),
    client,
    setEth: (address, wei) => client.setBalance({ address, value: wei }),
    mine: (blocks = 1) => mining.mine(blocks),
    pauseMining: () => mining.pause(),
    resumeMining: () => mining.resume(),
    forget: (blocks) => client.request({ method: 'anvil_rollback', params: [blocks] } as never),
  };
};
