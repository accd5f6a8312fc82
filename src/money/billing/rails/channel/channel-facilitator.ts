import { Injectable, Logger } from '@nestjs/common';
import type { PaymentRequirements, SettleResponse } from '@x402/core/types';

import { micro } from '#kernel/money';
import { checksummed } from '#kernel/wallet-address';
import type { ChannelState } from '../x402/facilitators/facilitator';
import { amountIn, hashIn, isYes, stateIn } from './channel-answers';
import type { Hex } from '../x402/proof/signed-payment';
import { X402PaymentRepository } from '../x402/settlement/x402-payment.repository';
import { PaymentUnavailable } from '../x402/x402.errors';
import { Facilitators } from '../x402/facilitators/facilitators';
import { ChannelRefused } from './channel-fault';
import { type ChannelPayment, wireChannelPayment } from './channel-payment';
import { ChannelTerms, type Terms } from './channel-terms';
import type { Channel } from './channel.entity';
import { ChannelRepository } from './channel.repository';
import { TakenChannels } from './channel-wire';

/** The facilitator's reasons that are the payer's fault. Other reasons say nothing about the payment. */
const INVALID = /^invalid_batch_settlement_evm_(?!rpc_read_failed|verification_state)/;
/** The answer goes into a header. */
const EXTRA_MAX = 2_000;
const PENDING = /pending|timeout|unexpected|unknown|internal|rpc/;

/** Whether a refund failed before it was sent. After any other failure, the chain may still execute the refund. */
export const isNeverSent = (error: unknown): boolean =>
  /simulation_failed|no_balance|amount_invalid|authorizer_(address|not)/.test(String(error));

/** A deposit that this call has sent. */
export interface Deposited {
  readonly transaction: string;
  readonly amount: string;
}

/** Asks the facilitator and the chain about channels, and stores their answers. */
@Injectable()
export class ChannelFacilitator {
  private readonly logger = new Logger(ChannelFacilitator.name);

  /** The deposits that are being sent. */
  private readonly sending = new Map<string, Promise<Deposited | undefined>>();

  constructor(
    private readonly terms: ChannelTerms,
    private readonly facilitators: Facilitators,
    private readonly channels: ChannelRepository,
    private readonly payments: X402PaymentRepository,
  ) {}

  /** Throws the fault if the facilitator refuses the payment. Returns the state in the facilitator's answer. */
  async verify(payment: ChannelPayment): Promise<ChannelState | undefined> {
    const { access, requirements } = await this.prepared(payment);
    const { isValid, invalidReason, extra } = await this.orUnavailable(() =>
      access.client.verify(wireChannelPayment(payment, requirements), requirements),
    );
    if (isYes(isValid)) return stateIn(extra);
    const reason = typeof invalidReason === 'string' ? invalidReason : '';
    if (!INVALID.test(reason)) throw new PaymentUnavailable();
    if (reason.endsWith('channel_not_found')) throw new ChannelRefused('not_found');
    if (reason.endsWith('exceeds_balance')) throw new ChannelRefused('short');
    if (reason.endsWith('below_claimed')) throw new ChannelRefused('stale');
    throw new ChannelRefused(payment.kind === 'deposit' ? 'deposit_failed' : 'invalid_signature');
  }

  /**
   * Verifies a deposit that may already be in the channel, because the process that sent it died. The voucher is proven
   * before this call. If the facilitator or the chain gives no answer, the deposit does not count as failed.
   */
  async verifyDeposit(payment: ChannelPayment): Promise<ChannelState | undefined> {
    try {
      return await this.verify(payment);
    } catch (error) {
      const isRefused = error instanceof ChannelRefused && error.fault === 'deposit_failed';
      if (isRefused && (await this.isCovered(payment))) return undefined;
      throw error;
    }
  }

  /** Mirrors the channel of a voucher whose signature is proven. Throws if the channel is empty and has no row. */
  async mirror(payment: ChannelPayment, payerProven = false): Promise<Channel | undefined> {
    const { access } = await this.prepared(payment);
    const began = performance.now();
    const state =
      access.stateOf === undefined
        ? await this.verify({ ...payment, kind: 'voucher' })
        : await this.orUnavailable(() => access.stateOf!(payment.channelId));
    if (state === undefined) throw new PaymentUnavailable();
    const known = await this.channels.find(payment.channelId);
    if (state.balance === 0n && known === undefined) throw new ChannelRefused('not_found');
    return this.store(payment, state, { began, payerProven });
  }

  /**
   * Sends a deposit to the chain and mirrors its channel. If the answer is lost, a repetition of the call finds the
   * money in the channel. An equal call waits for a deposit that is being sent: a second one would be refused.
   */
  async deposit(payment: ChannelPayment): Promise<Deposited | undefined> {
    const name = `${payment.channelId} ${payment.signed} ${payment.amount}`;
    const first = this.sending.get(name);
    if (first !== undefined) {
      await first.catch(() => undefined); // The first call answers with its error.
      if (await this.isCovered(payment)) return undefined;
    }
    const sending = this.sendDeposit(payment).finally(() => this.sending.delete(name));
    this.sending.set(name, sending);
    return sending;
  }

  private async sendDeposit(payment: ChannelPayment): Promise<Deposited | undefined> {
    const { access, requirements } = await this.prepared(payment);
    const { paysGas } = this.facilitators.on(payment.network);
    if (paysGas && (await this.payments.isWasteful(payment.config.payer)))
      throw new ChannelRefused('wasteful');
    const answer = await this.orUnavailable(() =>
      access.client.settle(wireChannelPayment(payment, requirements), requirements),
    );
    const transaction = hashIn(answer.transaction);
    if (isYes(answer.success)) {
      // A facilitator that names no transaction may have sent one. If it did, a repetition finds the money.
      if (transaction === undefined) throw new PaymentUnavailable();
      await this.record(transaction, payment);
      await this.mirror(payment, true);
      return { transaction, amount: payment.amount!.toString() };
    }
    const reason = typeof answer.errorReason === 'string' ? answer.errorReason : '';
    if (transaction !== undefined && reason.endsWith('transaction_failed') && paysGas)
      await this.payments.wasted(payment.config.payer);
    // An earlier attempt with this deposit may have succeeded, although its answer was lost.
    if (await this.isCovered(payment)) return undefined;
    if (PENDING.test(reason) || transaction !== undefined || reason === '') throw new PaymentUnavailable();
    throw new ChannelRefused('deposit_failed');
  }

  private async isCovered(payment: ChannelPayment): Promise<boolean> {
    try {
      const channel = await this.mirror(payment);
      return channel !== undefined && channel.balance >= payment.signed;
    } catch (error) {
      if (error instanceof ChannelRefused) return false;
      throw error;
    }
  }

  /**
   * Returns money to the payer: the uncharged rest, or a part of the rest. The same transaction claims our debt. The
   * caller must block the channel first, by `beginRefund`.
   */
  async refund(channel: Channel, payment?: ChannelPayment): Promise<SettleResponse> {
    const terms = await this.termsOrUnavailable(channel.network);
    const answer =
      payment === undefined
        ? await this.refundAll(terms, channel)
        : await this.refundRequested(terms, channel, payment);
    const hash = hashIn(answer.transaction);
    if (hash === undefined) throw new PaymentUnavailable();
    const amount = amountIn(answer.amount) ?? micro(0n);
    await this.channels.record({
      hash,
      kind: 'refund',
      channelId: channel.id,
      network: channel.network,
      channels: 1,
      amount,
    });
    await this.refresh(channel, answer.extra?.['channelState'] as Readonly<Record<string, unknown>>);
    const isShort = JSON.stringify(answer.extra ?? {}).length <= EXTRA_MAX;
    return {
      ...settledOf(channel, hash),
      amount: amount.toString(),
      extra: isShort ? answer.extra : undefined,
    };
  }

  /** Mirrors the channel again. Without a node of ours, the state comes from `verified` or from the facilitator. */
  async refresh(
    channel: Channel,
    verified?: Readonly<Record<string, unknown>>,
  ): Promise<Channel | undefined> {
    const { access } = await this.termsOrUnavailable(channel.network);
    const began = performance.now();
    const state =
      access.stateOf === undefined
        ? (stateIn(verified) ?? (await this.verify(voucherOf(channel))))
        : await access.stateOf(channel.id);
    if (state === undefined) return undefined;
    const stored = { config: channel, channelId: channel.id, network: channel.network };
    return this.store(stored, state, { began, payerProven: false });
  }

  private async refundAll(terms: Terms, channel: Channel): Promise<SettleResponse> {
    const answers: SettleResponse[] = [];
    await this.terms
      .managerOf(terms.on, [channel], moverOf(terms, channel), answers, channel.token)
      .refund([channel.id]);
    return answers[0]!;
  }

  private async refundRequested(
    terms: Terms,
    channel: Channel,
    payment: ChannelPayment,
  ): Promise<SettleResponse> {
    const requirements = await this.requirementsOf(payment);
    const paymentPayload = wireChannelPayment(payment, requirements);
    const pendingId = channel.id;
    const scheme = this.terms.schemeOn(
      terms.on,
      new TakenChannels([channel], {
        signedMaxClaimable: payment.signed.toString(),
        signature: payment.signature,
        pendingRequest: { pendingId, signedMaxClaimable: payment.signed.toString(), expiresAt: Infinity },
      }),
    );
    scheme.mergeRequestContext(paymentPayload, { pendingId });
    const added = await scheme.enrichSettlementPayload({
      paymentPayload,
      requirements,
      declaredExtensions: {},
      phase: 'after-handler',
    });
    const payload = { ...paymentPayload, payload: { ...paymentPayload.payload, ...added } };
    const answer = await moverOf(terms, channel).settle(payload, requirements);
    if (!answer.success) throw new Error(`The refund failed (${String(answer.errorReason)}).`);
    return answer;
  }

  private async store(
    { channelId, network, config }: Pick<ChannelPayment, 'channelId' | 'network' | 'config'>,
    state: ChannelState,
    { began, payerProven }: { readonly began: number; readonly payerProven: boolean },
  ): Promise<Channel | undefined> {
    const ageMs = performance.now() - began;
    return this.channels.mirror(channelId, network, config, state, { ageMs, payerProven });
  }

  private record(hash: Hex, { channelId, network, amount }: ChannelPayment): Promise<void> {
    return this.channels.record({ hash, kind: 'deposit', channelId, network, channels: 1, amount: amount! });
  }

  private async prepared(payment: ChannelPayment): Promise<Terms & { requirements: PaymentRequirements }> {
    return {
      ...(await this.termsOrUnavailable(payment.network)),
      requirements: await this.requirementsOf(payment),
    };
  }

  private async requirementsOf({ accepted, network }: ChannelPayment): Promise<PaymentRequirements> {
    const requirements = await this.terms.requirements(accepted.amount, network);
    if (requirements === undefined) throw new PaymentUnavailable();
    return requirements;
  }

  private async termsOrUnavailable(network: string): Promise<Terms> {
    const terms = await this.terms.current(network);
    if (terms === undefined) throw new PaymentUnavailable();
    return terms;
  }

  private async orUnavailable<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.logger.warn({ err: error }, 'A channel could not be checked.');
      throw new PaymentUnavailable({ cause: error });
    }
  }
}

const settledOf = ({ network, payer }: Channel, transaction: Hex): SettleResponse => ({
  success: true,
  transaction,
  network: network as PaymentRequirements['network'],
  payer: checksummed(payer),
});

/** A refund claims our debt and returns the rest, so it moves all money of the channel. */
const moverOf = ({ access }: Terms, { balance, claimed }: Channel) =>
  access.mover?.({ worth: micro(balance - claimed), channels: 1 }) ?? access.client;

/** The last voucher of a channel, for a facilitator that reports the state only with a voucher. */
const voucherOf = (channel: Channel): ChannelPayment => ({
  kind: 'refund',
  network: channel.network,
  channelId: channel.id,
  config: channel,
  signed: channel.signed,
  signature: channel.signature ?? '0x',
  accepted: { amount: '1', asset: channel.token, payTo: channel.receiver },
});
