import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';

import type { Channel } from '#money/billing/rails/channel/channel.entity';
import { ChannelReport, type NetworkReport } from '#money/billing/rails/channel/channel-report';
import { microToJson } from '#kernel/money';
import { checksummed } from '#kernel/wallet-address';
import { ApiFailures } from '#platform/openapi/docs';
import {
  type AdminChannel,
  type AdminChannelNetwork,
  AdminChannelsAnswer,
  AdminChannelsQuery,
} from './admin-channels.dto';
import { AdminGuard } from './admin.guard';
import { InDocument } from '#platform/openapi/audience';

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
@ApiSecurity('adminToken')
@UseGuards(AdminGuard)
@InDocument('account')
@Controller('v1/admin/channels')
export class AdminChannelsController {
  constructor(private readonly report: ChannelReport) {}

  @Get()
  @ApiOperation({
    summary: 'Payment channels: the sums of each network, and the channels in a state.',
    operationId: 'adminListChannels',
  })
  @ApiOkResponse({ type: AdminChannelsAnswer })
  @ApiFailures(400, 401, 403, 429)
  async list(@Query() { limit, cursor, state }: AdminChannelsQuery): Promise<AdminChannelsAnswer> {
    const [networks, found] = await Promise.all([
      this.report.networks(),
      this.report.page(state, limit + 1, cursor),
    ]);
    const page = found.slice(0, limit);
    return {
      networks: networks.map(networkOf),
      channels: page.map(channelOf),
      nextCursor: found.length > limit ? (page.at(-1)?.id ?? null) : null,
    };
  }
}
