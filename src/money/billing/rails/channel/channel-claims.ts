import { Inject, Injectable } from '@nestjs/common';
import type { SettleResponse } from '@x402/core/types';

import { type Micro, micro } from '#kernel/money';
import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import type { Hex } from '../x402/proof/signed-payment';
import { ClaimTooExpensive } from '../x402/facilitators/facilitator';
import { amountIn, hashIn } from './channel-answers';
import { ChannelFacilitator, isNeverSent } from './channel-facilitator';
import { ZERO_WALLET } from './channel-payment';
import { ChannelTerms, type Terms } from './channel-terms';
import type { Channel } from './channel.entity';
import { ChannelRepository } from './channel.repository';
import { SETTINGS } from '#platform/config/settings';
import type { X402Settings } from '../x402/x402.settings';
import type { ChannelSettings } from './channel.settings';

/** The most channels of one transaction. */
const CLAIMS_MAX = 100;
const UNSEEN_MAX = 50;
const REFUNDS_MAX = 20;
/** Limits one run; the next run continues. */
const BATCHES_MAX = 20;
/** Claims per withdrawal delay. A claim must come in time even if a withdrawal begins right after the last claim. */
const CLAIMS_PER_DELAY = 3;

/** `refused`: the contract takes no such claim. `expensive`: the fee is too high now. `unknown`: nothing is known. */
type ClaimOutcome = 'sent' | 'refused' | 'expensive' | 'unknown';

/** The contract refused a claim, before or after the transaction was sent. */
const isRefused = ({ errorReason, transaction }: SettleResponse): boolean =>
  String(errorReason).endsWith('claim_simulation_failed') ||
  (hashIn(transaction) !== undefined && String(errorReason).endsWith('claim_transaction_failed'));

/** A contract wallet may make a claim fail, or use much gas, so its channel is claimed alone. */
const isClaimedAlone = ({ payerAuthorizer, claimRefusedAt }: Channel): boolean =>
  payerAuthorizer === ZERO_WALLET || claimRefusedAt !== undefined;

const debtOf = ({ charged, claimed }: Channel): bigint => charged - claimed;

/**
 * Claims the debts of channels, many in one transaction, and pays the money out to us. It also returns the unspent
 * money of idle channels to their payers. If we have a node, the claimed totals come from the chain and not from the
 * facilitator's answer. A channel that can't be claimed is put aside, and does not make other claims fail.
 */
@Injectable()
export class ChannelClaims extends ScheduledProcessor {
  readonly name = 'channel-claims';
  readonly everyMs = 10_000;

  constructor(
    private readonly terms: ChannelTerms,
    private readonly channels: ChannelRepository,
    private readonly facilitator: ChannelFacilitator,
    @Inject(SETTINGS) private readonly settings: X402Settings & ChannelSettings,
  ) {
    super();
  }

  async run(): Promise<void> {
    for (const terms of await this.terms.all()) await this.runOn(terms);
  }

  private async runOn(terms: Terms): Promise<void> {
    const { authorizer, network } = this.keyOf(terms);
    const { withdrawSeconds, claimSeconds, claimMin, idleSeconds } = this.settings.x402.channels;
    const often = Math.floor(withdrawSeconds / CLAIMS_PER_DELAY);
    const unseen = await this.channels.unseen(authorizer, network, UNSEEN_MAX, Math.min(often, 600));
    // Without this, a channel whose withdrawal this run has just found would wait a minute for its claim. A channel that
    // could not be read waits, so that the next run reads others.
    await this.channels.untake(await this.refreshed(unseen));
    await this.claimTaken(terms, await this.channels.urgent(authorizer, network, CLAIMS_MAX));
    const due = await this.channels.due(authorizer, network, claimMin, Math.min(claimSeconds, often));
    if (due.claim) await this.claimOwedOn(terms);
    else if (due.payout) await this.payOut(terms);
    await this.refundIdle(await this.channels.idle(authorizer, network, REFUNDS_MAX, idleSeconds));
  }

  /** Claims all debts now, whether or not a claim is due. */
  async claimOwed(): Promise<void> {
    for (const terms of await this.terms.all()) await this.claimOwedOn(terms);
  }

  private async claimOwedOn(terms: Terms): Promise<void> {
    const { authorizer, network } = this.keyOf(terms);
    for (let batches = 0; batches < BATCHES_MAX; batches += 1) {
      const taken = await this.channels.owed(authorizer, network, CLAIMS_MAX);
      if (taken.length === 0) return;
      await this.claimTaken(terms, taken);
    }
  }

  private async claimTaken(terms: Terms, taken: readonly Channel[]): Promise<void> {
    if (taken.length === 0) return;
    // Reads the channels again, because the claim of an empty channel would fail the whole transaction.
    const seen = await this.refreshed(taken);
    const claimable = seen.filter(({ charged, claimed, balance }) => charged > claimed && charged <= balance);
    // A channel that can't pay any more is read less and less often, and its debt makes no claim due.
    for (const channel of seen)
      if (channel.charged > channel.balance) await this.channels.putAside(channel, false);
    let isSent = await this.claimMany(
      terms,
      claimable.filter((channel) => !isClaimedAlone(channel)),
    );
    for (const channel of claimable.filter(isClaimedAlone))
      isSent = (await this.claimMany(terms, [channel])) || isSent;
    if (isSent) await this.payOut(terms);
  }

  /**
   * Claims channels in one transaction if possible. If one of them is refused, the halves are claimed separately, down
   * to that one. If the fee is too high for all, those with the smaller debts wait.
   */
  private async claimMany(terms: Terms, channels: readonly Channel[]): Promise<boolean> {
    if (channels.length === 0) return false;
    const outcome = await this.claim(terms, channels);
    if (outcome === 'sent' || outcome === 'unknown') return outcome === 'sent';
    const bySize = channels.toSorted((one, other) => Number(debtOf(other) - debtOf(one)));
    const half = Math.floor(channels.length / 2);
    if (half === 0) {
      await this.putAside(terms, channels[0]!, outcome === 'refused');
      return false;
    }
    const [more, less] = [bySize.slice(0, -half), bySize.slice(-half)];
    if (outcome === 'expensive') {
      for (const channel of less) await this.putAside(terms, channel, false);
      return this.claimMany(terms, more);
    }
    const isSent = await this.claimMany(terms, more);
    return (await this.claimMany(terms, less)) || isSent;
  }

  /**
   * The channel waits for its next claim, for longer each time. After a refused claim it takes no calls. Without a node,
   * one refusal may be the facilitator's own failure.
   */
  private async putAside({ access }: Terms, channel: Channel, refused: boolean): Promise<void> {
    const isCertain = access.stateOf !== undefined || isClaimedAlone(channel) || channel.claimFailures > 0;
    await this.channels.putAside(channel, refused && isCertain);
    if (refused)
      this.logger.error(
        { channel: channel.id, payer: channel.payer, owed: debtOf(channel).toString() },
        'A channel refuses its claim, and takes no calls until its debt is claimed.',
      );
  }

  private async claim(terms: Terms, channels: readonly Channel[]): Promise<ClaimOutcome> {
    const answers: SettleResponse[] = [];
    try {
      const worth = micro(channels.reduce((sum, channel) => sum + debtOf(channel), 0n));
      const manager = this.managerOf(terms, channels, { answers, worth });
      const [result] = await manager.claim({ maxClaimsPerBatch: channels.length });
      if (result === undefined) return 'unknown';
      const after = await this.refreshed(channels);
      const before = new Map(channels.map(({ id, claimed }) => [id, claimed]));
      const amount = after.reduce((sum, { id, claimed }) => sum + claimed - (before.get(id) ?? claimed), 0n);
      // Only the chain proves a claim; a facilitator's answer does not.
      const hash = hashIn(result.transaction);
      if (amount > 0n && hash !== undefined)
        await this.record(terms, 'claim', hash, channels.length, micro(amount));
      // Taken channels stay reserved for a minute; claimed channels need no reservation.
      await this.channels.untake(after.filter(({ charged, claimed }) => charged <= claimed));
      return 'sent';
    } catch (error) {
      this.logger.warn({ err: error, channels: channels.length }, 'Channels could not be claimed.');
      if (error instanceof ClaimTooExpensive) return 'expensive';
      return answers.some(isRefused) ? 'refused' : 'unknown';
    }
  }

  /** Transfers the claimed money to our wallet. */
  private async payOut(terms: Terms): Promise<void> {
    const answers: SettleResponse[] = [];
    try {
      const worth = await this.channels.unpaid(terms.on.network);
      const { transaction } = await this.managerOf(terms, [], { answers, worth }).settle();
      const hash = hashIn(transaction);
      if (hash === undefined) throw new Error('The payout names no transaction.');
      await this.record(terms, 'payout', hash, 0, amountIn(answers[0]?.amount) ?? micro(0n));
    } catch (error) {
      this.logger.warn({ err: error }, 'Claimed money could not be paid out.');
    }
  }

  private async refundIdle(idle: readonly Channel[]): Promise<void> {
    for (const { id } of idle) {
      const channel = await this.channels.beginRefund(id);
      if (channel !== undefined) await this.refund(channel);
    }
  }

  private async refund(channel: Channel): Promise<void> {
    try {
      await this.facilitator.refund(channel);
    } catch (error) {
      this.logger.warn({ err: error, channel: channel.id }, 'An idle channel could not be refunded.');
      await this.channels.putAside(channel, false);
      if (isNeverSent(error)) await this.channels.endRefund(channel.id);
    }
  }

  /** The channels as the chain knows them. Channels without an answer are left out. */
  private async refreshed(channels: readonly Channel[]): Promise<Channel[]> {
    const seen: Channel[] = [];
    for (const channel of channels) {
      try {
        const now = await this.facilitator.refresh(channel);
        if (now !== undefined) seen.push(now);
      } catch (error) {
        this.logger.warn({ err: error, channel: channel.id }, 'A channel could not be read.');
      }
    }
    return seen;
  }

  private managerOf(
    { on, access }: Terms,
    channels: readonly Channel[],
    { answers, worth }: { readonly answers: SettleResponse[]; readonly worth: Micro },
  ) {
    const mover = access.mover?.({ worth, channels: Math.max(1, channels.length) }) ?? access.client;
    return this.terms.managerOf(on, channels, mover, answers);
  }

  private record(
    { on: { network } }: Terms,
    kind: 'claim' | 'payout',
    hash: Hex,
    channels: number,
    amount: Micro,
  ): Promise<void> {
    return this.channels.record({ hash, kind, network, channels, amount });
  }

  private keyOf({ authorizer, on }: Terms): { readonly authorizer: string; readonly network: string } {
    return { authorizer, network: on.network };
  }
}
