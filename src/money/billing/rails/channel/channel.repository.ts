import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';

import { type Micro, micro, microFromText } from '#kernel/money';
import { type OrdinalRow, byColumn, byOrdinal } from '#platform/database/batch-rows';
import { Database, type Queries } from '#platform/database/database';
import { constraintOf, sqlStateOf } from '#platform/database/error-fields';
import { SqlState } from '#platform/database/sql-state';
import { withOwnerLock } from '#platform/database/owner-lock';
import { SerialQueue, StatementBatcher } from '#platform/database/statement-batcher';
import type { ChargeDraft, MeasuredUse, SettledAnswer } from '../../charges/charge';
import type { ChannelState } from '../x402/facilitators/facilitator';
import type { Hex } from '../x402/proof/signed-payment';
import { type ChannelConfig, type ChannelPayment, ZERO_WALLET } from './channel-payment';
import type { ChannelTransaction } from './channel-transaction.entity';
import type { Channel } from './channel.entity';
import {
  DUE,
  PUT_ASIDE,
  TAKE_IDLE,
  TAKE_OWED,
  TAKE_UNSEEN,
  TAKE_URGENT,
  UNPAID,
  UNTAKE,
} from './channel-claims.sql';
import {
  BEGIN_REFUND,
  CHANNELS,
  CHARGE_MANY,
  CREDIT_LATE_FAILURE,
  DRIFT,
  EARLIER_MANY,
  END_REFUND,
  FIND,
  HOLDINGS,
  HOLD_MANY,
  type Holding,
  LAST_CLAIMS,
  MIRROR,
  OF_CHARGE,
  PAGE,
  PROVE_PAYER,
  REBUILD,
  RECORD,
  RELEASE,
  SUMS,
  WAITS_FOR_CLAIM,
} from './channel.sql';
import { CONTRACTS_MAY_OWE } from './contract-debt.sql';

/** A channel after a charge, with the fields of the call's answer. */
export interface ChannelTotals extends ChannelState {
  readonly network: string;
  readonly channelId: Hex;
  readonly price: Micro;
  readonly charged: Micro;
}

export interface FoundChannel extends Channel {
  /** Whether the mirror of the chain is young enough to be used. */
  readonly isFresh: boolean;
  readonly isRefunding: boolean;
}

/** Filters for operators: channels that hold money, channels with a debt, and channels whose debt may be lost. */
export const CHANNEL_FILTERS = ['open', 'owed', 'at_risk'] as const;
export type ChannelFilter = (typeof CHANNEL_FILTERS)[number];

/** The wallet that signs our claims on a network. */
interface Authorizer {
  readonly network: string;
  readonly authorizer: string;
}

const columnsOf = (ours: readonly Authorizer[]): readonly (readonly string[])[] => [
  ours.map(({ network }) => network),
  ours.map(({ authorizer }) => authorizer),
];

export interface ChannelSums {
  readonly network: string;
  readonly open: number;
  readonly owed: Micro;
  readonly claimed: Micro;
  readonly atRisk: Micro;
  readonly unspent: Micro;
}

/** The end of a call: its answer, and the use of a by-use call. */
interface Ending {
  readonly answer: SettledAnswer;
  readonly used?: Micro;
  readonly use?: MeasuredUse;
}

const NOTHING = micro(0n);

const totalsOf = (row: QueryResultRow): ChannelTotals => ({
  network: row['network'] as string,
  channelId: row['channel_id'] as Hex,
  price: microFromText(row['price'] as string),
  charged: microFromText(row['charged'] as string),
  balance: microFromText(row['balance'] as string),
  claimed: microFromText(row['claimed'] as string),
  withdrawRequestedAt: Number(row['withdraw_requested_at']),
  refundNonce: BigInt(row['refund_nonce'] as string),
});

/** A voucher that may have paid an earlier call. */
interface MarkedVoucher {
  readonly payment: ChannelPayment;
  readonly fingerprint: Buffer;
}

/** The charge of the earlier call, if there is one. */
interface EarlierCharge {
  readonly id?: string;
}

/** The rows of channels. Each method is one statement. */
@Injectable()
export class ChannelRepository {
  private readonly queue = new SerialQueue();
  private readonly earlierCharges = new StatementBatcher<MarkedVoucher, EarlierCharge>({
    batch: (vouchers) => this.earlierMany(vouchers),
    alone: async (voucher) => (await this.earlierMany([voucher]))[0] ?? {},
  });
  private readonly holds = new StatementBatcher<Holding, 'held' | 'duplicate' | 'refused'>({
    queue: this.queue,
    batch: (holdings) => this.holdMany(holdings),
    alone: (holding) => this.holdOne(holding),
  });
  private readonly charges = new StatementBatcher<Ending, ChannelTotals | undefined>({
    queue: this.queue,
    batch: (endings) => this.chargeMany(endings),
  });

  constructor(private readonly db: Database) {}

  async find(channelId: string): Promise<FoundChannel | undefined> {
    const row = await this.db.one<{ is_fresh: boolean; is_refunding: boolean }>(
      FIND,
      [channelId],
      'channel-find',
    );
    return row && { ...CHANNELS.read(row), isFresh: row.is_fresh, isRefunding: row.is_refunding };
  }

  /**
   * Stores the voucher with its call. `duplicate` if another call has this idempotency key. Calls of contract wallets
   * are held one after the other, because together they may owe at most `contractsMax`.
   */
  hold(
    draft: ChargeDraft,
    payment: ChannelPayment,
    contractsMax: Micro,
  ): Promise<'held' | 'duplicate' | 'refused'> {
    if (payment.config.payerAuthorizer !== ZERO_WALLET) return this.holds.add({ draft, payment });
    return this.orDuplicate(() =>
      withOwnerLock(this.db, 'contract wallets', payment.network, async (queries) => {
        const [held] = await this.holdMany([{ draft, payment }], queries, contractsMax);
        return held ?? 'refused';
      }),
    );
  }

  /** Whether the contract wallets of a network may owe this much more. */
  async contractsMayOwe(network: string, price: Micro, most: Micro): Promise<boolean> {
    const row = await this.db.one<{ may: boolean }>(
      CONTRACTS_MAY_OWE,
      [network, price, most],
      'channel-contracts',
    );
    return row!.may;
  }

  private async holdMany(
    holdings: readonly Holding[],
    queries: Queries = this.db,
    contractsMax = NOTHING,
  ): Promise<('held' | undefined)[]> {
    const rows = await queries.rows<OrdinalRow>(
      HOLD_MANY,
      [contractsMax, ...HOLDINGS.valuesOf(holdings)],
      'channel-hold',
    );
    return byOrdinal(rows, holdings.length, () => 'held');
  }

  private holdOne(holding: Holding): Promise<'held' | 'duplicate' | 'refused'> {
    return this.orDuplicate(async () => (await this.holdMany([holding]))[0] ?? 'refused');
  }

  private async orDuplicate<T>(work: () => Promise<T>): Promise<T | 'duplicate'> {
    try {
      return await work();
    } catch (error) {
      const isDuplicate =
        sqlStateOf(error) === SqlState.uniqueViolation && constraintOf(error) === 'charge_mark';
      if (isDuplicate) return 'duplicate';
      throw error;
    }
  }

  /** Charges a call. Undefined if the charge was decided before. */
  charge(ending: Ending): Promise<ChannelTotals | undefined> {
    return this.charges.add(ending);
  }

  private async chargeMany(endings: readonly Ending[]): Promise<(ChannelTotals | undefined)[]> {
    const values = endings.map(
      ({ answer: { chargeId, jobId, replay }, used, use: { billed, tokens } = {} }) => [
        chargeId,
        used,
        jobId,
        replay?.status,
        replay?.sealed,
        replay?.seconds,
        billed,
        tokens?.input,
        tokens?.output,
      ],
    );
    const rows = await this.db.rows<OrdinalRow>(CHARGE_MANY, byColumn(values), 'channel-charge');
    return byOrdinal(rows, endings.length, totalsOf);
  }

  /** False if the charge was not held. */
  async release(chargeId: string): Promise<boolean> {
    return (await this.db.rows(RELEASE, [chargeId], 'channel-release')).length === 1;
  }

  /** False if the charge has nothing to credit, or if its credit was already made. */
  async creditLateFailure(chargeId: string): Promise<boolean> {
    return (await this.db.rows(CREDIT_LATE_FAILURE, [chargeId], 'channel-late-failure')).length === 1;
  }

  /** Whether the refund of a charge waits for the claim of its money. */
  async refundWaits(chargeId: string): Promise<boolean> {
    const row = await this.db.one<{ waits: boolean }>(WAITS_FOR_CLAIM, [chargeId], 'channel-refund-waits');
    return row!.waits;
  }

  /**
   * Writes the chain's state, which was read `ageMs` ago, and returns the channel. A newer state in the row stays: an
   * equal call may have read the chain later and stored its state first.
   */
  async mirror(
    channelId: Hex,
    network: string,
    config: ChannelConfig,
    state: ChannelState,
    { ageMs, payerProven = false }: { readonly ageMs: number; readonly payerProven?: boolean },
  ): Promise<Channel> {
    const { payer, payerAuthorizer, receiver, receiverAuthorizer, token, withdrawDelay, salt } = config;
    const { balance, claimed, withdrawRequestedAt, refundNonce } = state;
    const row = await this.db.one(
      ...MIRROR({
        id: channelId,
        network,
        payer,
        payerAuthorizer,
        receiver,
        receiverAuthorizer,
        token,
        withdrawDelay,
        salt,
        payerProven,
        balance,
        claimed,
        withdrawRequestedAt,
        refundNonce,
        ageMs: Math.ceil(ageMs),
      }),
      'channel-mirror',
    );
    return CHANNELS.read(
      row ?? (await this.db.one(PROVE_PAYER, [channelId, payerProven], 'channel-prove-payer'))!,
    );
  }

  /** Raises a total that is behind the chain. */
  async rebuild(channelId: Hex): Promise<void> {
    await this.db.rows(REBUILD, [channelId], 'channel-rebuild');
  }

  /** The charge of a call with this fingerprint that this voucher has paid. */
  async earlier(payment: ChannelPayment, fingerprint: Buffer): Promise<string | undefined> {
    const { id } = await this.earlierCharges.add({ payment, fingerprint });
    return id;
  }

  private async earlierMany(vouchers: readonly MarkedVoucher[]): Promise<EarlierCharge[]> {
    const values = vouchers.map(({ payment: { channelId, signed }, fingerprint }) => [
      channelId,
      signed,
      fingerprint,
    ]);
    const rows = await this.db.rows<OrdinalRow & { id: string }>(
      EARLIER_MANY,
      byColumn(values),
      'channel-earlier',
    );
    return byOrdinal(rows, vouchers.length, ({ id }) => ({ id })).map((found) => found ?? {});
  }

  /** The channel after a charge, for a repeated answer. */
  async totalsOf(
    chargeId: string,
  ): Promise<(ChannelTotals & Pick<Channel, 'payer' | 'network'>) | undefined> {
    const row = await this.db.one<{ total: string; price: string }>(
      OF_CHARGE,
      [chargeId],
      'channel-of-charge',
    );
    if (row === undefined) return undefined;
    const { id: channelId, ...channel } = CHANNELS.read(row);
    const [charged, price] = [microFromText(row.total), microFromText(row.price)];
    return { ...channel, channelId, charged, price };
  }

  async beginRefund(channelId: string): Promise<Channel | undefined> {
    const row = await this.db.one(BEGIN_REFUND, [channelId], 'channel-begin-refund');
    return row && CHANNELS.read(row);
  }

  async endRefund(channelId: string): Promise<void> {
    await this.db.rows(END_REFUND, [channelId], 'channel-end-refund');
  }

  async record({
    hash,
    kind,
    channelId,
    network,
    channels,
    amount,
  }: Omit<ChannelTransaction, 'createdAt'>): Promise<void> {
    await this.db.rows(RECORD, [hash, kind, channelId, network, channels, amount], 'channel-record');
  }

  async due(
    authorizer: string,
    network: string,
    least: Micro,
    seconds: number,
  ): Promise<{ claim: boolean; payout: boolean }> {
    const row = await this.db.one<{ claim: boolean; payout: boolean }>(
      DUE,
      [authorizer, network, least, seconds],
      'channel-due',
    );
    return row!;
  }

  owed(authorizer: string, network: string, most: number): Promise<Channel[]> {
    return this.take(TAKE_OWED, [authorizer, network, most], 'channel-take-owed');
  }

  /** Debts that are claimed whether or not claims are due. */
  urgent(authorizer: string, network: string, most: number): Promise<Channel[]> {
    return this.take(TAKE_URGENT, [authorizer, network, most], 'channel-take-urgent');
  }

  unseen(authorizer: string, network: string, most: number, seconds: number): Promise<Channel[]> {
    return this.take(TAKE_UNSEEN, [authorizer, network, most, seconds], 'channel-take-unseen');
  }

  idle(authorizer: string, network: string, most: number, seconds: number): Promise<Channel[]> {
    return this.take(TAKE_IDLE, [authorizer, network, most, seconds], 'channel-take-idle');
  }

  private async take(statement: string, values: readonly unknown[], name: string): Promise<Channel[]> {
    return (await this.db.rows(statement, values, name)).map(CHANNELS.read);
  }

  /** Puts a channel aside after a failure; with `isRefused` it takes no calls until its debt is claimed. */
  async putAside({ id }: Channel, isRefused: boolean): Promise<void> {
    await this.db.rows(PUT_ASIDE, [id, isRefused], 'channel-put-aside');
  }

  /** The claimed money of a network that was not paid out yet. */
  async unpaid(network: string): Promise<Micro> {
    const row = await this.db.one<{ micro: string }>(UNPAID, [network], 'channel-unpaid');
    return microFromText(row!.micro);
  }

  async untake(channels: readonly Channel[]): Promise<void> {
    await this.db.rows(UNTAKE, [channels.map(({ id }) => id)], 'channel-untake');
  }

  /** `ours` has the wallets that sign our claims, one for each network. */
  async sums(ours: readonly Authorizer[]): Promise<ChannelSums[]> {
    const rows = await this.db.rows<
      Record<'network' | 'owed' | 'claimed' | 'at_risk' | 'unspent', string> & { open: number }
    >(SUMS, columnsOf(ours), 'channel-sums');
    return rows.map((row) => ({
      network: row.network,
      open: row.open,
      owed: microFromText(row.owed),
      claimed: microFromText(row.claimed),
      atRisk: microFromText(row.at_risk),
      unspent: microFromText(row.unspent),
    }));
  }

  async lastClaims(): Promise<ReadonlyMap<string, { readonly at: Date; readonly transaction: string }>> {
    const rows = await this.db.rows<{ network: string; at: Date; transaction: string }>(LAST_CLAIMS);
    return new Map(rows.map(({ network, ...claim }) => [network, claim]));
  }

  /** Channels in the order of their ids, beginning after the id `after`. */
  async page(
    ours: readonly Authorizer[],
    state: ChannelFilter | undefined,
    limit: number,
    after?: string,
  ): Promise<Channel[]> {
    const rows = await this.db.rows(PAGE, [...columnsOf(ours), after, state, limit], 'channel-page');
    return rows.map((row) => CHANNELS.read(row));
  }

  /** The sum of totals that contradict their charges or the chain; 0 if the books balance. */
  async drift(slice: number): Promise<bigint> {
    const row = await this.db.one<{ drift: string }>(DRIFT, [slice % 60], 'channel-drift');
    return BigInt(row?.drift ?? 0);
  }
}
