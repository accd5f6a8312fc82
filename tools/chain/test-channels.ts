import type { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/client';
import { BATCH_SETTLEMENT_ADDRESS } from '@x402/evm';
import { type Address, type Hash, type Hex, parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { LocalClient } from './local-client';

export type ChannelConfig = ReturnType<BatchSettlementEvmScheme['buildChannelConfig']>;

const channelsAbi = parseAbi([
  'struct ChannelConfig { address payer; address payerAuthorizer; address receiver; address receiverAuthorizer; address token; uint40 withdrawDelay; bytes32 salt; }',
  'function getChannelId(ChannelConfig config) view returns (bytes32)',
  'function getVoucherDigest(bytes32 channelId, uint128 maxClaimableAmount) view returns (bytes32)',
  'function CHANNEL_CONFIG_TYPEHASH() view returns (bytes32)',
  'function channels(bytes32 channelId) view returns (uint128 balance, uint128 totalClaimed)',
  'function pendingWithdrawals(bytes32 channelId) view returns (uint128 amount, uint40 initiatedAt)',
  'function refundNonce(bytes32 channelId) view returns (uint256)',
  'function receivers(address receiver, address token) view returns (uint128 totalClaimed, uint128 totalSettled)',
  'function initiateWithdraw(ChannelConfig config, uint128 amount)',
  'function finalizeWithdraw(ChannelConfig config)',
  'event Claimed(bytes32 indexed channelId, address indexed sender, uint128 claimAmount, uint128 newTotalClaimed)',
]);

const contract = { address: BATCH_SETTLEMENT_ADDRESS as Address, abi: channelsAbi };

/** Reads of payment channels, and the steps that only a payer takes. */
export class TestChannels {
  readonly address: Address = BATCH_SETTLEMENT_ADDRESS;

  constructor(private readonly client: LocalClient) {}

  idOf(config: ChannelConfig): Promise<Hex> {
    return this.client.readContract({ ...contract, functionName: 'getChannelId', args: [config] });
  }

  voucherDigest(channelId: Hex, maxClaimable: bigint): Promise<Hex> {
    return this.client.readContract({
      ...contract,
      functionName: 'getVoucherDigest',
      args: [channelId, maxClaimable],
    });
  }

  configTypehash(): Promise<Hex> {
    return this.client.readContract({ ...contract, functionName: 'CHANNEL_CONFIG_TYPEHASH' });
  }

  async state(channelId: Hex): Promise<{ balance: bigint; claimed: bigint; withdrawalSince: number }> {
    const args = [channelId] as const;
    const [[balance, claimed], [, withdrawalSince]] = await Promise.all([
      this.client.readContract({ ...contract, functionName: 'channels', args }),
      this.client.readContract({ ...contract, functionName: 'pendingWithdrawals', args }),
    ]);
    return { balance, claimed, withdrawalSince };
  }

  /** The sums that were claimed for a receiver and paid to it. */
  async receiver(receiver: Address, token: Address): Promise<{ claimed: bigint; settled: bigint }> {
    const args = [receiver, token] as const;
    const [claimed, settled] = await this.client.readContract({
      ...contract,
      functionName: 'receivers',
      args,
    });
    return { claimed, settled };
  }

  /** The claim transactions, oldest first, each with its channels. */
  async claims(): Promise<{ transaction: Hash; channelId: Hex; total: bigint }[]> {
    const logs = await this.client.getContractEvents({
      ...contract,
      eventName: 'Claimed',
      strict: true,
      fromBlock: 0n,
    });
    return logs.map(({ transactionHash, args }) => ({
      transaction: transactionHash,
      channelId: args.channelId,
      total: args.newTotalClaimed,
    }));
  }

  /** Begins a withdrawal that needs no receiver. The payer gets the money after the channel's delay. */
  initiateWithdraw(payerKey: Hex, config: ChannelConfig, amount: bigint): Promise<Hash> {
    return this.sent(payerKey, { functionName: 'initiateWithdraw', args: [config, amount] });
  }

  finalizeWithdraw(payerKey: Hex, config: ChannelConfig): Promise<Hash> {
    return this.sent(payerKey, { functionName: 'finalizeWithdraw', args: [config] });
  }

  private async sent(
    payerKey: Hex,
    call: { functionName: 'initiateWithdraw' | 'finalizeWithdraw'; args: readonly unknown[] },
  ): Promise<Hash> {
    const account = privateKeyToAccount(payerKey);
    await this.client.setBalance({ address: account.address, value: 10n ** 18n });
    const hash = await this.client.writeContract({
      ...contract,
      ...call,
      account,
      chain: this.client.chain,
    } as Parameters<LocalClient['writeContract']>[0]);
    const receipt = await this.client.waitForTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error(`The test chain reverted ${hash}.`);
    return hash;
  }
}
