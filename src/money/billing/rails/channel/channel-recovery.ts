import { BATCH_SETTLEMENT_ADDRESS } from '@x402/evm';
import { type Hash, decodeFunctionData, parseAbi } from 'viem';

import type { Micro } from '#kernel/money';
import { parseWallet } from '#kernel/wallet-address';
import type { Database } from '#platform/database/database';
import { BLOCKS_AT_ONCE, type Chain } from '../x402/facilitators/chain';
import { channelState, hasChannels } from '../x402/facilitators/channel-chain';
import type { ChannelState } from '../x402/facilitators/facilitator';
import type { Hex } from '../x402/proof/signed-payment';
import { searchBlocks } from '../x402/after-restore/transfer-search';
import { type ChannelConfig, channelIdOf } from './channel-payment';
import { ChannelRepository } from './channel.repository';
import type { ChannelSettings } from './channel.settings';
import type { X402Settings } from '../x402/x402.settings';

const contractAbi = parseAbi([
  'struct ChannelConfig { address payer; address payerAuthorizer; address receiver; address receiverAuthorizer; address token; uint40 withdrawDelay; bytes32 salt; }',
  'event Deposited(bytes32 indexed channelId, address indexed sender, uint128 amount, uint128 newBalance)',
  'event Claimed(bytes32 indexed channelId, address indexed sender, uint128 claimAmount, uint128 newTotalClaimed)',
  'function deposit(ChannelConfig config, uint128 amount, address collector, bytes collectorData)',
  'function multicall(bytes[] data)',
]);

/** A channel that the database lacks, or whose total is behind the chain. */
export interface LostChannel {
  readonly channelId: Hex;
  readonly config: ChannelConfig;
  readonly state: ChannelState;
  /** The time of `state`, by the clock of `performance`. */
  readonly readAt: number;
  /** The total in the database; undefined without a row. */
  readonly charged: Micro | undefined;
}

/**
 * Compares channels on the chain with a database that was restored to an earlier time. The chain proves balances and
 * claims. Calls since the last claim are unknown, and their money is lost.
 */
export class ChannelRecovery {
  private readonly channels: ChannelRepository;

  constructor(
    db: Database,
    private readonly chain: Chain,
    private readonly x402: (X402Settings & ChannelSettings)['x402'],
    private readonly blocksAtOnce = BLOCKS_AT_ONCE,
  ) {
    this.channels = new ChannelRepository(db);
  }

  async find(since: Date): Promise<readonly LostChannel[]> {
    if (!(await hasChannels(this.chain))) return [];
    const seconds = BigInt(Math.floor(since.getTime() / 1_000));
    const deposits = new Map<Hex, Hash>();
    const claimed = new Set<Hex>();
    await this.chain.request(() =>
      searchBlocks(this.chain, seconds, this.blocksAtOnce, async (fromBlock, toBlock) => {
        const logs = await this.chain.client.getContractEvents({
          address: BATCH_SETTLEMENT_ADDRESS,
          abi: contractAbi,
          fromBlock,
          toBlock,
          strict: true,
        });
        for (const { eventName, args, transactionHash } of logs) {
          if (eventName === 'Deposited') deposits.set(args.channelId, transactionHash);
          else claimed.add(args.channelId);
        }
      }),
    );
    const lost: LostChannel[] = [];
    for (const channelId of new Set([...deposits.keys(), ...claimed])) {
      const row = await this.channels.find(channelId);
      const config = row ?? (await this.configOf(channelId, deposits.get(channelId)));
      if (config === undefined) continue;
      const readAt = performance.now();
      const state = await channelState(this.chain, channelId);
      const charged = row?.charged;
      if (charged === undefined || charged < state.claimed)
        lost.push({ channelId, config, state, readAt, charged });
    }
    return lost;
  }

  /** Mirrors the channel and raises its total to the claims. False if a call of the channel is not decided yet. */
  async rebuild({ channelId, config, state, readAt }: LostChannel): Promise<boolean> {
    const ageMs = performance.now() - readAt;
    await this.channels.mirror(channelId, this.x402.network, config, state, { ageMs });
    await this.channels.rebuild(channelId);
    const now = await this.channels.find(channelId);
    return now !== undefined && now.charged >= state.claimed;
  }

  /** The parameters of our channel, from the transaction of a deposit. Channels of other receivers are left out. */
  private async configOf(channelId: Hex, deposit: Hash | undefined): Promise<ChannelConfig | undefined> {
    if (deposit === undefined) return undefined;
    const { input } = await this.chain.request(() => this.chain.client.getTransaction({ hash: deposit }));
    const { network, payTo, asset } = this.x402;
    return configsIn(input).find(
      (config) =>
        config.receiver === payTo && config.token === asset && channelIdOf(config, network) === channelId,
    );
  }
}

const configsIn = (input: Hex): readonly ChannelConfig[] => {
  try {
    const { functionName, args } = decodeFunctionData({ abi: contractAbi, data: input });
    if (functionName === 'multicall') return args[0].flatMap(configsIn);
    const { withdrawDelay, salt, ...wallets } = args[0];
    const wallet = (name: keyof typeof wallets) => parseWallet(wallets[name])!;
    return [
      {
        payer: wallet('payer'),
        payerAuthorizer: wallet('payerAuthorizer'),
        receiver: wallet('receiver'),
        receiverAuthorizer: wallet('receiverAuthorizer'),
        token: wallet('token'),
        withdrawDelay,
        salt,
      },
    ];
  } catch {
    // A facilitator's contract made this deposit, in an unknown form. The channel's next voucher creates the row.
    return [];
  }
};
