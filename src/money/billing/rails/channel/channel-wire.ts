import type { SettleResponse } from '@x402/core/types';
import type {
  Channel as WireChannel,
  ChannelStorage,
  ChannelUpdateResult,
} from '@x402/evm/batch-settlement/server';

import { checksummed } from '#kernel/wallet-address';
import { encodeHeader } from '../x402/challenge/requirements';
import type { ChannelState } from '../x402/facilitators/facilitator';
import type { Channel } from './channel.entity';
import { wireConfig } from './channel-payment';
import type { ChannelTotals } from './channel.repository';

/** The row of a channel in the form of the published package. */
const toWire = (channel: Channel): WireChannel => ({
  channelId: channel.id,
  channelConfig: wireConfig(channel),
  chargedCumulativeAmount: channel.charged.toString(),
  signedMaxClaimable: channel.signed.toString(),
  signature: channel.signature ?? '0x',
  balance: channel.balance.toString(),
  totalClaimed: channel.claimed.toString(),
  withdrawRequestedAt: channel.withdrawRequestedAt,
  refundNonce: Number(channel.refundNonce),
  lastRequestTimestamp: channel.usedAt.getTime(),
});

/**
 * Rows of Postgres behind the storage port of the published package, for one run of the package. The service has
 * reserved the rows and writes the result from the chain, so it stores no change by the package.
 */
export class TakenChannels implements ChannelStorage {
  private readonly taken: ReadonlyMap<string, WireChannel>;

  constructor(channels: readonly Channel[], changes: Partial<WireChannel> = {}) {
    this.taken = new Map(channels.map((channel) => [channel.id, { ...toWire(channel), ...changes }]));
  }

  get(channelId: string): Promise<WireChannel | undefined> {
    return Promise.resolve(this.taken.get(channelId.toLowerCase()));
  }

  list(): Promise<WireChannel[]> {
    return Promise.resolve([...this.taken.values()]);
  }

  async updateChannel(channelId: string): Promise<ChannelUpdateResult> {
    return { channel: await this.get(channelId), status: 'unchanged' };
  }
}

const stateOf = (
  channelId: string,
  { balance, claimed, withdrawRequestedAt, refundNonce, charged }: ChannelState & Pick<Channel, 'charged'>,
) => ({
  channelId,
  balance: balance.toString(),
  totalClaimed: claimed.toString(),
  withdrawRequestedAt,
  refundNonce: refundNonce.toString(),
  chargedCumulativeAmount: charged.toString(),
});

/** The true state of a channel, for a client whose voucher does not fit. */
export const correctionOf = (channel: Channel): Readonly<Record<string, unknown>> => ({
  channelState: stateOf(channel.id, channel),
  ...(channel.signature !== undefined && {
    voucherState: { signedMaxClaimable: channel.signed.toString(), signature: channel.signature },
  }),
});

type Paid = Pick<Channel, 'payer' | 'network'> & ChannelTotals;

/** The answer to a voucher, in the words of the scheme. The answer to a deposit contains the deposit's transaction. */
export const paidResponse = (
  paid: Paid,
  deposit?: { readonly transaction: string; readonly amount: string },
): SettleResponse => ({
  success: true,
  payer: checksummed(paid.payer),
  transaction: deposit?.transaction ?? '',
  network: paid.network as SettleResponse['network'],
  amount: deposit?.amount ?? '',
  extra: {
    channelState: stateOf(paid.channelId, paid),
    chargedAmount: paid.price.toString(),
  },
});

export const responseHeaders = (response: SettleResponse): Readonly<Record<string, string>> => {
  const encoded = encodeHeader(response);
  return { 'payment-response': encoded, 'x-payment-response': encoded };
};
