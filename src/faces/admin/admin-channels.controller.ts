import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

import type { Channel } from '#money/billing/rails/channel/channel.entity';
import { ChannelReport, type NetworkReport } from '#money/billing/rails/channel/channel-report';
import { microToJson } from '#kernel/money';
import { checksummed } from '#kernel/wallet-address';
import {
  type AdminChannel,
  type AdminChannelNetwork,
  AdminChannelsAnswer,
  AdminChannelsQuery,
} from './admin-channels.dto';
import { pageOf } from '#platform/http/routes/page-query';
import { OperatorRoute } from './operator-route';

const networkOf = ({ network, isOffered, lastClaim, ...sums }: NetworkReport): AdminChannelNetwork => ({
  network,
  offered: isOffered,
  open: sums.open,
  owedMicro: microToJson(sums.owed),
  claimedMicro: microToJson(sums.claimed),
  atRiskMicro: microToJson(sums.atRisk),
  unspentMicro: microToJson(sums.unspent),
  lastClaimAt: lastClaim?.at.toISOString(),
  lastClaim: lastClaim?.transaction,
});

const channelOf = (channel: Channel): AdminChannel => ({
  channelId: channel.id,
  network: channel.network,
  payer: checksummed(channel.payer),
  chargedMicro: microToJson(channel.charged),
  claimedMicro: microToJson(channel.claimed),
  balanceMicro: microToJson(channel.balance),
  withdrawalPending: channel.withdrawRequestedAt > 0,
  usedAt: channel.usedAt.toISOString(),
});

/** Shows operators the payment channels of each network, and what they owe. */
@ApiTags('admin')
@Controller('v1/admin/channels')
export class AdminChannelsController {
  constructor(private readonly report: ChannelReport) {}

  @Get()
  @OperatorRoute({
    summary: 'Payment channels: the sums of each network, and the channels in a state.',
    operationId: 'adminListChannels',
    answer: AdminChannelsAnswer,
    failures: [400],
  })
  async list(@Query() { limit, cursor, state }: AdminChannelsQuery): Promise<AdminChannelsAnswer> {
    const [networks, found] = await Promise.all([
      this.report.networks(),
      this.report.page(state, limit + 1, cursor),
    ]);
    const { page, nextCursor } = pageOf(found, limit, ({ id }) => id);
    return { networks: networks.map(networkOf), channels: page.map(channelOf), nextCursor };
  }
}
