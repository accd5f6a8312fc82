import { BATCH_SETTLEMENT_ADDRESS } from '@x402/evm';
import { parseAbi } from 'viem';

import { micro } from '#kernel/money';
import type { Chain } from './chain';
import type { ChannelState } from './facilitator';

const viewsAbi = parseAbi([
  'function channels(bytes32 channelId) view returns (uint128 balance, uint128 totalClaimed)',
  'function pendingWithdrawals(bytes32 channelId) view returns (uint128 amount, uint40 initiatedAt)',
  'function refundNonce(bytes32 channelId) view returns (uint256)',
]);

const contract = { address: BATCH_SETTLEMENT_ADDRESS, abi: viewsAbi } as const;

/** Reads a channel in one block, so that its values belong together. */
export const channelState = (chain: Chain, channelId: `0x${string}`): Promise<ChannelState> =>
  chain.request(async () => {
    const blockNumber = await chain.client.getBlockNumber();
    const args = [channelId] as const;
    const [[balance, claimed], [, initiatedAt], refundNonce] = await Promise.all([
      chain.client.readContract({ ...contract, functionName: 'channels', args, blockNumber }),
      chain.client.readContract({ ...contract, functionName: 'pendingWithdrawals', args, blockNumber }),
      chain.client.readContract({ ...contract, functionName: 'refundNonce', args, blockNumber }),
    ]);
    return {
      balance: micro(balance),
      claimed: micro(claimed),
      withdrawRequestedAt: initiatedAt,
      refundNonce,
    };
  });

/** Whether the node is of the configured chain, with the contract of channels at its published address. */
export const hasChannels = async (chain: Chain): Promise<boolean> => {
  if (!(await chain.isOurs())) return false;
  const code = await chain.request(() => chain.client.getCode({ address: BATCH_SETTLEMENT_ADDRESS }));
  return code !== undefined && code !== '0x';
};
