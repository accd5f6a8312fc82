import { FlagField, TextField, WalletField, WholeField } from '#platform/http/routes/fields';

const MICRO = { min: 0, max: Number.MAX_SAFE_INTEGER };

export class ChannelAnswer {
  @TextField({ max: 66 }) readonly channelId: string;
  @WalletField({ about: 'In checksum form.' }) readonly payer: string;
  @WholeField({ ...MICRO, about: 'All that calls have cost, in micro-USD.' }) readonly chargedMicro: number;
  @WholeField({ ...MICRO, about: 'The part of it that was claimed on the chain.' })
  readonly claimedMicro: number;
  @WholeField({ ...MICRO, about: 'All deposits less all refunds, claimed or not.' })
  readonly balanceMicro: number;
  @FlagField({ about: 'The payer withdraws on the chain, so the channel takes no calls.' })
  readonly withdrawalPending: boolean;
}

export class ChannelRefundQuery {
  @TextField({ max: 40, optional: true, about: 'The network of the channel; it is offered first.' })
  readonly network?: string;
}

export class ChannelRefundAnswer {
  @TextField({ max: 100 }) readonly message: string;
  @TextField({ max: 66 }) readonly channelId: string;
}
