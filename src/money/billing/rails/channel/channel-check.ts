import type { IncomingHttpHeaders } from 'node:http';

import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

import { AppError } from '#kernel/app-error';
import { micro } from '#kernel/money';
import { parseWallet } from '#kernel/wallet-address';
import { recoverSigner } from '#platform/signatures/recover-signer';
import type { PayableCall } from '../payable-call';
import { PaymentQuote } from '../x402/challenge/payment-quote';
import { priceProblem } from '../x402/challenge/price-problem';
import { X402Price, claimedPayer } from '../x402/challenge/x402-price';
import { PaymentUnavailable } from '../x402/x402.errors';
import { ChannelFacilitator } from './channel-facilitator';
import { type ChannelFault, ChannelRefused } from './channel-fault';
import {
  type ChannelConfig,
  type ChannelPayment,
  ZERO_WALLET,
  channelIdOf,
  readChannelPayment,
  voucherDigest,
} from './channel-payment';
import { ChannelTerms, type Terms } from './channel-terms';
import { ChannelRepository } from './channel.repository';
import { SETTINGS } from '#platform/config/settings';
import { networkIn } from '#money/networks/networks';
import type { X402Settings } from '../x402/x402.settings';
import type { ChannelSettings } from './channel.settings';

const KEPT_MAX = 10_000;

/** A voucher with a valid signature of its channel. */
export interface CheckedVoucher {
  readonly payment: ChannelPayment;
  /** The reason why the voucher can't pay a new call. The voucher may still repeat a call that it has paid. */
  readonly problem?: ChannelFault | AppError;
}

/**
 * Checks a payment by channel without writing anything. The voucher of a plain wallet needs no question to the chain.
 */
@Injectable()
export class ChannelCheck {
  /** Caches the parameters whose hash is a channel's id, because one channel pays many calls. */
  private readonly ids = new LRUCache<string, ChannelConfig>({ max: KEPT_MAX });

  constructor(
    private readonly terms: ChannelTerms,
    private readonly facilitator: ChannelFacilitator,
    private readonly channels: ChannelRepository,
    private readonly quotes: PaymentQuote,
    private readonly price: X402Price,
    @Inject(SETTINGS) private readonly settings: X402Settings & ChannelSettings,
  ) {}

  /**
   * Throws if the payment is not for one of our channels or has no valid signature. Returns other faults as `problem`.
   */
  async check(call: PayableCall): Promise<CheckedVoucher> {
    const payment = await this.offered(call.request.headers);
    if (payment.kind === 'refund') throw new ChannelRefused('refund_elsewhere');
    return { payment, problem: await this.problemOf(call, payment) };
  }

  /** Returns a payment for one of our channels with a valid signature. Does not check its price and its total. */
  async offered(headers: IncomingHttpHeaders): Promise<ChannelPayment> {
    const payment = readChannelPayment(headers);
    if (payment === undefined) throw new ChannelRefused('malformed');
    const terms = await this.termsOf(payment);
    if (terms === undefined) {
      // After a 402, the client signs another payment. After the outage, the same voucher pays.
      if (this.terms.isUncertainOn(payment.network)) throw new PaymentUnavailable();
      throw new ChannelRefused('not_offered');
    }
    const fault = this.mismatch(payment, terms);
    if (fault !== undefined) throw new ChannelRefused(fault);
    await this.requireSignature(payment);
    return payment;
  }

  private async termsOf({ network }: ChannelPayment): Promise<Terms | undefined> {
    if (networkIn(this.settings.x402, network) === undefined) throw new ChannelRefused('wrong_network');
    return this.terms.current(network);
  }

  private mismatch(
    { network, config, accepted, channelId }: ChannelPayment,
    terms: Terms,
  ): ChannelFault | undefined {
    const { asset, payTo } = terms.on;
    const { withdrawSeconds } = this.settings.x402.channels;
    if (config.token !== asset || parseWallet(accepted.asset) !== asset) return 'wrong_asset';
    if (config.receiver !== payTo || parseWallet(accepted.payTo) !== payTo) return 'wrong_recipient';
    if (config.receiverAuthorizer !== terms.authorizer) return 'wrong_authorizer';
    if (config.withdrawDelay !== withdrawSeconds) return 'wrong_delay';
    return this.isHash(channelId, config, network) ? undefined : 'wrong_channel_id';
  }

  private isHash(channelId: string, config: ChannelConfig, network: string): boolean {
    const key = `${network} ${channelId}`;
    const known = this.ids.get(key);
    if (known !== undefined && isSame(known, config)) return true;
    if (channelIdOf(config, network) !== channelId) return false;
    this.ids.set(key, config);
    return true;
  }

  /**
   * Accepts a signer other than the payer only after the payer itself has signed a deposit here. Otherwise anybody
   * could make a channel that names a stranger as its payer.
   */
  private async requireSignature(payment: ChannelPayment): Promise<void> {
    const { config, channelId, signed, signature, kind } = payment;
    if (config.payerAuthorizer === ZERO_WALLET) {
      await this.facilitator.verify(payment);
      return;
    }
    const { chainId } = networkIn(this.settings.x402, payment.network)!;
    const digest = voucherDigest(chainId, channelId, signed);
    if (recoverSigner(digest, signature) !== config.payerAuthorizer)
      throw new ChannelRefused('invalid_signature');
    if (config.payerAuthorizer === config.payer) return;
    if ((await this.channels.find(channelId))?.payerProven === true) return;
    if (kind !== 'deposit') throw new ChannelRefused('unproven_delegate');
    await this.facilitator.verify(payment);
  }

  private async problemOf(call: PayableCall, payment: ChannelPayment): Promise<CheckedVoucher['problem']> {
    const { accepted, config, quote } = payment;
    const claimed = claimedPayer(call);
    if (claimed !== undefined && claimed !== config.payer) return 'payer_mismatch';
    if (!/^[1-9]\d{0,15}$/.test(accepted.amount)) return 'wrong_amount';
    const amount = micro(BigInt(accepted.amount));
    const network = networkIn(this.settings.x402, payment.network)!;
    return priceProblem(call, { amount, payer: config.payer, network, quote }, this.quotes, this.price);
  }
}

const isSame = (one: ChannelConfig, other: ChannelConfig): boolean =>
  (Object.keys(one) as (keyof ChannelConfig)[]).every((key) => one[key] === other[key]);
