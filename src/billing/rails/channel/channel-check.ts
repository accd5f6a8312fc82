import type { IncomingHttpHeaders } from 'node:http';

import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

import { AppError } from '../../../kernel/app-error';
import { micro } from '../../../kernel/money';
import { parseWallet } from '../../../kernel/wallet-address';
import { SETTINGS, type Settings } from '../../../platform/config/settings';
import { recoverSigner } from '../../../platform/signatures/recover-signer';
import type { PayableCall } from '../payable-call';
import { PaymentQuote } from '../x402/challenge/payment-quote';
import { priceProblem } from '../x402/challenge/price-problem';
import { X402Price, claimedPayer } from '../x402/challenge/x402-price';
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

const KEPT_MAX = 10_000;

/** A voucher with a valid signature of its channel. */
export interface CheckedVoucher {
  readonly payment: ChannelPayment;
  /** The reason why it can't pay a new call. It may still repeat the call that it has paid. */
  readonly problem?: ChannelFault | AppError;
}

/** Checks a payment by channel. Nothing is written, and no chain is asked for the voucher of a plain wallet. */
@Injectable()
export class ChannelCheck {
  /** The hash of a channel's parameters is its id, and the same channels come again and again. */
  private readonly ids = new LRUCache<string, ChannelConfig>({ max: KEPT_MAX });

  constructor(
    private readonly terms: ChannelTerms,
    private readonly facilitator: ChannelFacilitator,
    private readonly channels: ChannelRepository,
    private readonly quotes: PaymentQuote,
    private readonly price: X402Price,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Throws the fault. */
  async check(call: PayableCall): Promise<CheckedVoucher> {
    const payment = await this.offered(call.request.headers);
    if (payment.kind === 'refund') throw new ChannelRefused('refund_elsewhere');
    return { payment, problem: await this.problemOf(call, payment) };
  }

  /** A payment for a channel of ours with a true signature. Its price and its total are not checked. */
  async offered(headers: IncomingHttpHeaders): Promise<ChannelPayment> {
    const payment = readChannelPayment(headers);
    if (payment === undefined) throw new ChannelRefused('malformed');
    const terms = await this.terms.current();
    if (terms === undefined) throw new ChannelRefused('not_offered');
    const fault = this.mismatch(payment, terms);
    if (fault !== undefined) throw new ChannelRefused(fault);
    await this.requireSignature(payment);
    return payment;
  }

  private mismatch(
    { network, config, accepted, channelId }: ChannelPayment,
    terms: Terms,
  ): ChannelFault | undefined {
    const { x402 } = this.settings;
    if (network !== x402.network) return 'wrong_network';
    if (config.token !== x402.asset || parseWallet(accepted.asset) !== x402.asset) return 'wrong_asset';
    if (config.receiver !== x402.payTo || parseWallet(accepted.payTo) !== x402.payTo)
      return 'wrong_recipient';
    if (config.receiverAuthorizer !== terms.authorizer) return 'wrong_authorizer';
    if (config.withdrawDelay !== x402.channels.withdrawSeconds) return 'wrong_delay';
    return this.isHash(channelId, config, network) ? undefined : 'wrong_channel_id';
  }

  private isHash(channelId: string, config: ChannelConfig, network: string): boolean {
    const known = this.ids.get(channelId);
    if (known !== undefined && isSame(known, config)) return true;
    if (channelIdOf(config, network) !== channelId) return false;
    this.ids.set(channelId, config);
    return true;
  }

  /**
   * Another signer than the payer counts only after the payer itself has signed a deposit here. Anybody can make a
   * channel that names a stranger as its payer.
   */
  private async requireSignature(payment: ChannelPayment): Promise<void> {
    const { config, channelId, signed, signature, kind } = payment;
    if (config.payerAuthorizer === ZERO_WALLET) {
      await this.facilitator.verify(payment);
      return;
    }
    const digest = voucherDigest(this.settings.x402.chainId, channelId, signed);
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
    return priceProblem(call, { amount, payer: config.payer, quote }, this.quotes, this.price);
  }
}

const isSame = (one: ChannelConfig, other: ChannelConfig): boolean =>
  (Object.keys(one) as (keyof ChannelConfig)[]).every((key) => one[key] === other[key]);
