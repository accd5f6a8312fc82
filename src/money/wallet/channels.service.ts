import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { ChannelRefunds } from '#money/billing/rails/channel/channel-refunds';
import { ChannelRepository } from '#money/billing/rails/channel/channel.repository';
import { NotFound } from '#kernel/app-error';
import { microToJson } from '#kernel/money';
import { checksummed } from '#kernel/wallet-address';
import type { ChannelAnswer, ChannelRefundAnswer } from './channels.dto';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

/** Shows a payment channel to everybody who knows its id, and refunds its unspent money to its payer. */
@Injectable()
export class ChannelsService {
  constructor(
    private readonly channels: ChannelRepository,
    private readonly refunds: ChannelRefunds,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  async find(channelId: string): Promise<ChannelAnswer> {
    const channel = /^0x[0-9a-fA-F]{64}$/.test(channelId)
      ? await this.channels.find(channelId.toLowerCase())
      : undefined;
    if (channel === undefined) throw new NotFound('No channel with this id has paid here.');
    return {
      channelId: channel.id,
      payer: checksummed(channel.payer),
      chargedMicro: microToJson(channel.charged),
      claimedMicro: microToJson(channel.claimed),
      balanceMicro: microToJson(channel.balance),
      withdrawalPending: channel.withdrawRequestedAt > 0,
    };
  }

  async refund(request: FastifyRequest, reply: FastifyReply, network?: string): Promise<ChannelRefundAnswer> {
    const url = `${this.settings.http.publicUrl}/v1/agent/x402/channels`;
    const { channelId, headers } = await this.refunds.refund(request.headers, url, network);
    void reply.headers(headers);
    return { message: 'Refund acknowledged', channelId };
  }
}
