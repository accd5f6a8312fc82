import { AmountField, FlagField, TextField, WalletField } from '#platform/http/routes/fields';

export class ChannelAnswer {
  @TextField({ max: 66 }) readonly channelId: string;
  @WalletField({ about: 'In checksum form.' }) readonly payer: string;
  @AmountField({ about: 'All that calls have cost, in micro-USD.' }) readonly chargedMicro: number;
  @AmountField({ about: 'The part of it that was claimed on the chain.' })
  readonly claimedMicro: number;
  @AmountField({ about: 'All deposits less all refunds, claimed or not.' })
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
