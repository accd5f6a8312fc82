import { CHANNEL_FILTERS, type ChannelFilter } from '#money/billing/rails/channel/channel.repository';
import { NextCursorField } from '#platform/http/routes/page-query';
import {
  AmountField,
  ChoiceField,
  FlagField,
  ListField,
  TextField,
  WhenField,
  WholeField,
} from '#platform/http/routes/fields';

export class AdminChannelNetwork {
  @TextField({ max: 40 }) readonly network: string;
  @FlagField({ about: 'False if new channels are no longer offered and only existing ones remain.' })
  readonly offered: boolean;
  @AmountField({ about: 'Channels that hold money.' }) readonly open: number;
  @AmountField({ about: 'Charged and not claimed yet, in micro-USD.' }) readonly owedMicro: number;
  @AmountField({ about: 'Claimed so far.' }) readonly claimedMicro: number;
  @AmountField({
    about:
      'Owed by channels whose payer withdraws, whose claim was refused, whose balance is too small, or that name another signer.',
  })
  readonly atRiskMicro: number;
  @AmountField({ about: 'Deposited and not charged.' }) readonly unspentMicro: number;
  @WhenField({ optional: true }) readonly lastClaimAt?: string;
  @TextField({ max: 80, optional: true, about: 'The transaction of the last claim.' })
  readonly lastClaim?: string;
}

export class AdminChannel {
  @TextField({ max: 66 }) readonly channelId: string;
  @TextField({ max: 40 }) readonly network: string;
  @TextField({ max: 42 }) readonly payer: string;
  @AmountField({ about: 'The total that was charged.' }) readonly chargedMicro: number;
  @AmountField({ about: 'The total that was claimed on the chain.' }) readonly claimedMicro: number;
  @AmountField({ about: 'The total that was deposited.' }) readonly balanceMicro: number;
  @FlagField({ about: 'The payer withdraws, so no call runs.' }) readonly withdrawalPending: boolean;
  @WhenField() readonly usedAt: string;
}

export class AdminChannelsAnswer {
  @ListField(() => AdminChannelNetwork) readonly networks: readonly AdminChannelNetwork[];
  @ListField(() => AdminChannel, { about: 'In the order of their ids.' })
  readonly channels: readonly AdminChannel[];
  @NextCursorField() readonly nextCursor: string | null;
}

export class AdminChannelsQuery {
  @WholeField({ min: 1, max: 200, default: 50, optional: true }) readonly limit: number;
  @TextField({ max: 66, optional: true, about: 'The `nextCursor` of the page before.' })
  readonly cursor?: string;
  @ChoiceField(CHANNEL_FILTERS, {
    optional: true,
    about: 'Channels that hold money, owe it, or may not pay it.',
  })
  readonly state?: ChannelFilter;
}
