import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { AppError } from '#kernel/app-error';
import { type Micro, micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
import type { ChargeDraft, Held, MeasuredUse, SettledAnswer, WorkOutcome } from '../../charges/charge';
import { ChargeNotifier } from '../../charges/charge-notifier';
import type { Charge } from '../../charges/charge.entity';
import type { PayableCall } from '../payable-call';
import type { Payer } from '../payer';
import { type Captured, type ChainTransfer, PaymentRail, type Settlement } from '../rail';
import type { RailFacts } from '../rail-facts';
import { X402Challenge } from '../x402/challenge/challenge';
import { X402Price, claimedPayer } from '../x402/challenge/x402-price';
import { PAYMENT_HEADERS } from '../x402/proof/payment-header';
import { PaymentUnavailable } from '../x402/x402.errors';
import { ChannelCheck, type CheckedVoucher } from './channel-check';
import { ChannelClaims } from './channel-claims';
import { ChannelFacilitator, type Deposited } from './channel-facilitator';
import { CHANNEL_FAULTS, type ChannelFault, ChannelRefused } from './channel-fault';
import { type ChannelPayment, ZERO_WALLET, isByChannel, readChannelPayment } from './channel-payment';
import { ChannelRefunds } from './channel-refunds';
import { correctionOf, paidResponse, responseHeaders } from './channel-wire';
import type { Channel } from './channel.entity';
import { ChannelBusy } from './channel.errors';
import { ChannelReport } from './channel-report';
import { ChannelRepository, type ChannelTotals, type FoundChannel } from './channel.repository';
import { isDepositTooSmall } from './smallest-deposit';
import { SETTINGS } from '#platform/config/settings';
import type { X402Settings } from '../x402/x402.settings';
import type { ChannelSettings } from './channel.settings';
import type { PriceSettings } from '#models/catalog/prices.settings';

/** The longest time that a call waits for the earlier call of its channel. */
const BUSY_MS_MAX = 10_000;
const READ_AGAIN_MS = 1_000;
/** The most times that a call reads a channel that keeps changing. */
const READS_MAX = 25;

const proofOf = (payer: Payer | undefined): CheckedVoucher => {
  if (payer?.proof === undefined) throw new Error('This call carries no voucher.');
  return payer.proof as CheckedVoucher;
};

/** The network of the sent payment. An unproven payment is enough to order the offers of the answer. */
const networkOf = ({ request }: PayableCall): string | undefined =>
  readChannelPayment(request.headers)?.network;

/** Whether a refused claim stops the channel. A process of the version before may have claimed its debt meanwhile. */
const isRefused = ({ claimRefusedAt, charged, claimed }: Channel): boolean =>
  claimRefusedAt !== undefined && charged > claimed;

/**
 * Charges calls to a payment channel. The hold stores the voucher with the charge, and the statement that charges the
 * call raises the channel's total. Only a call with a deposit waits for the chain.
 */
@Injectable()
export class ChannelRail extends PaymentRail {
  static readonly facts: RailFacts = {
    name: 'channel',
    headers: PAYMENT_HEADERS,
    schemes: {},
    manifest: {
      header: 'PAYMENT-SIGNATURE',
      account: false,
      discount: 'the tier of the wallet named as payer',
    },
  };
  static readonly parts = [
    ChannelCheck,
    ChannelClaims,
    ChannelFacilitator,
    ChannelRefunds,
    ChannelReport,
    ChannelRepository,
  ];

  /** The deposits of running calls, for their answers. */
  private readonly deposits = new WeakMap<ChargeDraft, Deposited>();

  constructor(
    private readonly checks: ChannelCheck,
    private readonly facilitator: ChannelFacilitator,
    private readonly channels: ChannelRepository,
    private readonly challenge: X402Challenge,
    private readonly price: X402Price,
    private readonly notifier: ChargeNotifier,
    @Inject(SETTINGS) private readonly settings: X402Settings & ChannelSettings & PriceSettings,
  ) {
    super();
  }

  claims(request: FastifyRequest): boolean {
    return isByChannel(request.headers);
  }

  async identify(call: PayableCall): Promise<Payer> {
    const proof = await this.refusing(call, () => this.checks.check(call));
    const { payment, problem } = proof;
    const { payer } = payment.config;
    if (problem !== undefined && (await this.channels.earlier(payment, call.fingerprint)) === undefined)
      throw await this.errorOf(call, problem, payer);
    return {
      rail: this.name,
      id: payer,
      wallet: payer,
      limitedAs: payer,
      discountPercent: await this.price.discountOf(call, {
        payer,
        amount: micro(BigInt(payment.accepted.amount)),
      }),
      agreedPrice: micro(BigInt(payment.accepted.amount)),
      proof,
    };
  }

  /** Returns a payer whose channel covers the sent voucher. */
  async provenPayerOf({ headers }: FastifyRequest): Promise<WalletAddress | undefined> {
    try {
      const payment = await this.checks.offered(headers);
      if (payment.kind === 'deposit') await this.facilitator.verify(payment);
      else if (!(await this.covers(payment))) return undefined;
      return payment.config.payer;
    } catch (error) {
      if (error instanceof ChannelRefused) return undefined;
      throw error;
    }
  }

  override async earlier(call: PayableCall, payer: Payer): Promise<string | undefined> {
    return this.channels.earlier(proofOf(payer).payment, call.fingerprint);
  }

  /** A channel's money is no prepaid balance here. `GET /v1/agent/x402/channels/{channelId}` shows it. */
  balance(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async requireFunds(call: PayableCall): Promise<boolean> {
    const { payment, problem } = proofOf(call.payer);
    if (problem !== undefined) throw await this.errorOf(call, problem, payment.config.payer);
    await this.refusing(call, async () => {
      const channel = await this.channels.find(payment.channelId);
      if (channel !== undefined) this.requireTotal(channel, payment);
      if (payment.kind === 'deposit') await this.facilitator.verifyDeposit(payment);
      else if (channel?.isFresh !== true) await this.facilitator.mirror(payment);
    });
    return true;
  }

  async hold(call: PayableCall, draft: ChargeDraft): Promise<Held> {
    const { payment, problem } = proofOf(call.payer);
    if (problem !== undefined) throw await this.errorOf(call, problem, payment.config.payer);
    return this.refusing(call, async () => {
      const headers = payment.kind === 'deposit' ? await this.deposit(draft, payment) : undefined;
      const held = await this.holdOnce(call, draft, payment);
      return held.ok ? { ...held, headers } : held;
    });
  }

  async shortOf(call: PayableCall): Promise<Error> {
    return this.refuse(call, new ChannelRefused('short'));
  }

  async settle(_call: PayableCall, draft: ChargeDraft, answer: SettledAnswer): Promise<Settlement> {
    const totals = await this.channels.charge({ answer });
    if (totals !== undefined) return { outcome: 'charged', headers: this.paidHeaders(draft, totals) };
    // Another process has decided the charge, because this process was suspended past the charge's lease.
    const headers = await this.receiptHeaders(answer.chargeId);
    return Object.keys(headers).length > 0
      ? { outcome: 'charged', headers }
      : { outcome: 'failed', error: new PaymentUnavailable() };
  }

  override async capture(
    draft: ChargeDraft,
    answer: SettledAnswer,
    used: Micro,
    use?: MeasuredUse,
  ): Promise<Captured | undefined> {
    if (used === 0n) return (await this.channels.release(draft.id)) ? {} : undefined;
    const totals = await this.channels.charge({ answer, used, use });
    return totals && { headers: this.paidHeaders(draft, totals) };
  }

  release(chargeId: string): Promise<boolean> {
    return this.channels.release(chargeId);
  }

  override get givesBack(): boolean {
    return this.settings.x402.lateFailureCredit;
  }

  async refund(chargeId: string): Promise<boolean> {
    return this.givesBack && (await this.channels.creditLateFailure(chargeId));
  }

  override refundWaits(chargeId: string): Promise<boolean> {
    return this.givesBack ? this.channels.refundWaits(chargeId) : Promise.resolve(false);
  }

  override async transferOf(chargeId: string): Promise<ChainTransfer | undefined> {
    const totals = await this.channels.totalsOf(chargeId);
    return totals && { network: totals.network };
  }

  override async receiptHeaders(chargeId: string): Promise<Readonly<Record<string, string>>> {
    const totals = await this.channels.totalsOf(chargeId);
    return totals === undefined ? {} : responseHeaders(paidResponse(totals));
  }

  async recover(charge: Charge, work: WorkOutcome): Promise<void> {
    if (work === 'not-done') await this.channels.release(charge.id);
    if (work === 'done')
      await this.channels.charge({ answer: { chargeId: charge.id, jobId: charge.jobId, watched: true } });
  }

  private paidHeaders(draft: ChargeDraft, totals: ChannelTotals): Readonly<Record<string, string>> {
    const paid = { ...totals, payer: draft.payer as WalletAddress };
    return responseHeaders(paidResponse(paid, this.deposits.get(draft)));
  }

  /** Stores the voucher as soon as the channel is free. */
  private async holdOnce(call: PayableCall, draft: ChargeDraft, payment: ChannelPayment): Promise<Held> {
    const until = performance.now() + BUSY_MS_MAX;
    const { claimMin } = this.settings.x402.channels;
    for (let reads = 0; reads < READS_MAX; reads += 1) {
      const outcome = await this.channels.hold(draft, payment, claimMin);
      if (outcome === 'held') return { ok: true };
      if (outcome === 'duplicate') return { ok: false, reason: 'duplicate' };
      const channel = await this.channels.find(payment.channelId);
      if (channel?.openChargeId !== undefined || channel?.isRefunding === true) {
        if ((await this.channels.earlier(payment, call.fingerprint)) !== undefined)
          return { ok: false, reason: 'duplicate' };
        if (performance.now() >= until) throw new ChannelBusy();
        await this.notifier.next(channel.openChargeId ?? channel.id, READ_AGAIN_MS);
      } else if (channel?.isFresh === true) {
        this.requireTotal(channel, payment);
        if (channel.withdrawRequestedAt > 0) throw new ChannelRefused('withdrawing');
        if (payment.signed > channel.balance) throw new ChannelRefused('short', correctionOf(channel));
        await this.requireRoom(draft, payment, claimMin);
      } else {
        await this.facilitator.mirror(payment);
      }
    }
    throw new ChannelBusy();
  }

  /**
   * A voucher must continue the total of its channel. The service refuses a deposit with a wrong total before sending
   * it.
   */
  private async deposit(draft: ChargeDraft, payment: ChannelPayment): Promise<Held['headers']> {
    const { amount = micro(0n), signed, channelId, accepted, config, network } = payment;
    const channel = await this.channels.find(channelId);
    if (channel !== undefined) this.requireTotal(channel, payment);
    await this.requireRoom(draft, payment, this.settings.x402.channels.claimMin);
    if (isDepositTooSmall(amount, BigInt(accepted.amount), this.settings.price))
      throw new ChannelRefused('deposit_too_small');
    const verified = channel === undefined ? await this.facilitator.verifyDeposit(payment) : undefined;
    if (verified !== undefined && verified.claimed + BigInt(accepted.amount) !== signed)
      throw new ChannelRefused('stale');
    const deposited = await this.facilitator.deposit(payment);
    if (deposited === undefined) return undefined;
    this.deposits.set(draft, deposited);
    const now = await this.channels.find(channelId);
    if (now === undefined) return undefined;
    // The answer contains these headers even if the work fails, so that the client learns of its deposit.
    const totals = { ...now, channelId, price: micro(0n), payer: config.payer, network };
    return responseHeaders(paidResponse(totals, deposited));
  }

  /** A contract wallet can make a claim fail, so all of them together may owe only what one claim collects. */
  private async requireRoom(
    { price }: ChargeDraft,
    { config, network }: ChannelPayment,
    most: Micro,
  ): Promise<void> {
    if (config.payerAuthorizer !== ZERO_WALLET) return;
    if (!(await this.channels.contractsMayOwe(network, price, most)))
      throw new ChannelRefused('contracts_owe');
  }

  private requireTotal(channel: FoundChannel, { signed, accepted }: ChannelPayment): void {
    if (isRefused(channel)) throw new ChannelRefused('claim_refused');
    const isNext = channel.charged + BigInt(accepted.amount) === signed && signed > channel.claimed;
    if (!isNext) throw new ChannelRefused('stale', correctionOf(channel));
  }

  private async covers(payment: ChannelPayment): Promise<boolean> {
    const channel = await this.channels.find(payment.channelId);
    const seen = channel?.isFresh === true ? channel : await this.facilitator.mirror(payment);
    return (
      seen !== undefined &&
      seen.charged < payment.signed &&
      seen.balance >= payment.signed &&
      !isRefused(seen) &&
      !seen.withdrawRequestedAt
    );
  }

  private async refusing<T>(call: PayableCall, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof ChannelRefused ? await this.refuse(call, error) : error;
    }
  }

  private errorOf(call: PayableCall, problem: ChannelFault | AppError, payer: WalletAddress): Promise<Error> {
    return problem instanceof AppError
      ? Promise.resolve(problem)
      : this.refuse(call, new ChannelRefused(problem), payer);
  }

  private async refuse(
    call: PayableCall,
    { fault, corrected }: ChannelRefused,
    payer: WalletAddress | undefined = call.payer?.wallet,
  ): Promise<Error> {
    const { reason, message } = CHANNEL_FAULTS[fault];
    const code = fault === 'short' || fault === 'not_found' ? 'INSUFFICIENT_FUNDS' : 'INVALID_PAYMENT';
    const price: Micro = await this.price.priceOf(call, payer);
    const network = networkOf(call);
    const problem = { code, message, reason, network, channel: corrected } as const;
    return this.challenge.paymentRequired(call, price, problem, claimedPayer(call) ?? payer);
  }
}
