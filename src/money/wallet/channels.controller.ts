import { Controller, Get, Header, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { CHALLENGE_HEADERS, CHARGE_HEADERS } from '#money/billing/calls/charge-headers';
import { HttpRoute } from '#platform/http/routes/route';
import { PublicRoute } from '#platform/openapi/docs';
import { ApiFailures, ApiFailuresWith } from '#platform/openapi/failures';
import { ChannelAnswer, ChannelRefundAnswer, ChannelRefundQuery } from './channels.dto';
import { ChannelsService } from './channels.service';

const CHANNEL_PARAM = { name: 'channelId', schema: { type: 'string', pattern: '^0x[a-fA-F0-9]{64}$' } };

@ApiTags('wallet')
@Controller('v1/agent/x402/channels')
export class ChannelsController {
  constructor(private readonly channels: ChannelsService) {}

  @Get()
  @Header('cache-control', 'no-store')
  @HttpRoute({ limit: 'topUp' })
  @PublicRoute()
  @ApiOperation({
    summary: "Return a payment channel's unspent money to its payer.",
    description:
      'Without a refund in PAYMENT-SIGNATURE it answers 402 with the requirements of channels. ' +
      'Stock clients send the refund here: `scheme.refund(url)`.',
    operationId: 'refundChannel',
  })
  @ApiOkResponse({ type: ChannelRefundAnswer, headers: CHARGE_HEADERS })
  @ApiFailuresWith(CHALLENGE_HEADERS, 402, 409, 503)
  refund(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Query() { network }: ChannelRefundQuery,
  ): Promise<ChannelRefundAnswer> {
    return this.channels.refund(request, reply, network);
  }

  @Get(':channelId')
  @Header('cache-control', 'no-store')
  @PublicRoute()
  @ApiOperation({ summary: 'A payment channel, as its calls left it.', operationId: 'channel' })
  @ApiParam(CHANNEL_PARAM)
  @ApiOkResponse({ type: ChannelAnswer })
  @ApiFailures(404)
  find(@Param('channelId') channelId: string): Promise<ChannelAnswer> {
    return this.channels.find(channelId);
  }
}
