import type { IncomingHttpHeaders } from 'node:http';

import { Inject, Injectable, Logger } from '@nestjs/common';

import type { AppError } from '#kernel/app-error';
import { encodeHeader } from '../x402/challenge/requirements';
import { InvalidPayment, PaymentRequired, PaymentUnavailable } from '../x402/x402.errors';
import { ChannelCheck } from './channel-check';
import { ChannelFacilitator, isNeverSent } from './channel-facilitator';
import { CHANNEL_FAULTS, ChannelRefused } from './channel-fault';
import { type ChannelPayment, isByChannel, readChannelPayment } from './channel-payment';
import { ChannelTerms } from './channel-terms';
import { correctionOf, responseHeaders } from './channel-wire';
import { ChannelBusy } from './channel.errors';
import { ChannelRepository } from './channel.repository';
import { SETTINGS } from '#platform/config/settings';
import type { X402Settings } from '../x402/x402.settings';
import type { ChannelSettings } from './channel.settings';
import type { PriceSettings } from '#models/catalog/prices.settings';

interface Refunded {
  readonly channelId: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the unspent money of a channel when its payer asks for it. */
@Injectable()
export class ChannelRefunds {
  private readonly logger = new Logger(ChannelRefunds.name);

  constructor(
    private readonly checks: ChannelCheck,
    private readonly channels: ChannelRepository,
    private readonly facilitator: ChannelFacilitator,
    private readonly terms: ChannelTerms,
    @Inject(SETTINGS) private readonly settings: X402Settings & ChannelSettings & PriceSettings,
  ) {}

  /**
   * `url` is the address of this route, for the requirements of the 402. `network` is the network of the first offer,
   * because stock clients refund the channel of the first offer.
   */
  async refund(headers: IncomingHttpHeaders, url: string, network?: string): Promise<Refunded> {
    if (!isByChannel(headers)) throw await this.required(url, network);
    try {
      return await this.refundSent(await this.checks.offered(headers));
    } catch (error) {
      const first = readChannelPayment(headers)?.network ?? network;
      throw error instanceof ChannelRefused ? await this.refused(url, error, first) : error;
    }
  }

  private async refundSent(payment: ChannelPayment): Promise<Refunded> {
    if (payment.kind !== 'refund') throw new ChannelRefused('malformed');
    const known = await this.channels.find(payment.channelId);
    if (known?.isFresh !== true) await this.facilitator.mirror(payment);
    const before = await this.channels.find(payment.channelId);
    if (before === undefined) throw new ChannelRefused('not_found');
    // The request must name the total of the last voucher, because nothing else proves that both sides agree.
    if (before.charged !== payment.signed) throw new ChannelRefused('stale', correctionOf(before));
    const channel = await this.channels.beginRefund(payment.channelId);
    if (channel === undefined) {
      if (before.balance <= before.charged) throw new ChannelRefused('nothing_to_refund');
      throw new ChannelBusy();
    }
    if (channel.charged !== payment.signed) {
      await this.channels.endRefund(channel.id);
      throw new ChannelRefused('stale', correctionOf(channel));
    }
    try {
      const answer = await this.facilitator.refund(channel, payment);
      return { channelId: channel.id, headers: responseHeaders(answer) };
    } catch (error) {
      this.logger.warn({ err: error, channel: channel.id }, 'A channel could not be refunded.');
      if (isNeverSent(error)) await this.channels.endRefund(channel.id);
      throw new PaymentUnavailable({ cause: error });
    }
  }

  private required(url: string, network: string | undefined): Promise<AppError> {
    return this.answer({ url, network }, 'Send a refund of your payment channel in PAYMENT-SIGNATURE.');
  }

  private refused(
    url: string,
    { fault, corrected }: ChannelRefused,
    network: string | undefined,
  ): Promise<AppError> {
    const { reason, message } = CHANNEL_FAULTS[fault];
    return this.answer({ url, network }, message, reason, corrected);
  }

  private async answer(
    { url, network }: { readonly url: string; readonly network: string | undefined },
    message: string,
    reason?: string,
    corrected: Readonly<Record<string, unknown>> = {},
  ): Promise<AppError> {
    const names = this.settings.x402.networks.map((one) => one.network);
    const first = names.find((name) => name === network) ?? names[0]!;
    const amount = this.settings.price.chatFloor.toString();
    const offers = await Promise.all(
      [first, ...names.filter((name) => name !== first)].map((name) => this.terms.requirements(amount, name)),
    );
    const accepts = offers
      .filter((offer) => offer !== undefined)
      .map((offer) =>
        offer.network === first ? { ...offer, extra: { ...offer.extra, ...corrected } } : offer,
      );
    const required = {
      x402Version: 2,
      error: reason ?? message,
      resource: { url, description: 'Refunds.' },
      accepts,
    };
    const Kind = reason === undefined ? PaymentRequired : InvalidPayment;
    return new Kind(message, {
      headers: { 'payment-required': encodeHeader(required), 'cache-control': 'no-store' },
    });
  }
}
