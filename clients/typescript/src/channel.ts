import {
  BatchSettlementEvmScheme,
  InMemoryClientChannelStorage,
  computeChannelId,
} from '@x402/evm/batch-settlement/client';
import { createPublicClient, http } from 'viem';

import type { Reservation } from './budget.ts';
import type { ChargeState, LamppostError } from './errors.ts';
import type { ChannelParts } from './later.ts';
import type { Requirement } from './offer.ts';
import type { CallLimits, Opened, Paid, Payer } from './payer.ts';
import type { Answer, Headers, Request } from './sender.ts';

export interface ChannelState {
  readonly channelId: `0x${string}`;
  readonly chargedMicro: number;
  readonly claimedMicro: number;
  readonly balanceMicro: number;
  readonly withdrawalPending: boolean;
}

/** A voucher for one call, with its deposit if there is one. */
interface Voucher {
  readonly headers: Headers;
  readonly accepted: Requirement;
  readonly channelId: string;
  readonly depositMicro: number;
  /** The price of the call. */
  readonly micro: number;
  /** The growth of the signed maximum by this voucher. */
  readonly reservation: Reservation;
}

type Accepted = Parameters<BatchSettlementEvmScheme['buildChannelConfig']>[0];

const ROUTE = '/v1/agent/x402/channels';
/**
 * The most requests of one call: one for the offer, one with the payment, and further ones after corrections of the
 * channel's total.
 */
const ROUNDS_MAX = 4;
const VALID_SECONDS_MAX = 600;
const SIGNED_MICRO_MAX = 1_000_000;

/**
 * Pays by vouchers of one payment channel. The published x402 client keeps the total and signs. It accepts a new total
 * from the service only with a voucher that this wallet has signed, or from the chain.
 */
export class ByChannel implements Payer {
  readonly #parts: ChannelParts;
  readonly #scheme: BatchSettlementEvmScheme;
  readonly #storage = new InMemoryClientChannelStorage();
  readonly #vouchers = new Map<string, Voucher>();
  /**
   * The highest total that each channel's budget has counted. The service may claim any voucher that it has received,
   * whatever it reports about the call, so the growth of this total counts as spent.
   */
  readonly #counted = new Map<string, number>();
  /** The signed deposits of this client that no call has spent. They count even if the service reports less. */
  #unspent = 0;
  /** The end of the validity of the last deposit. */
  #until = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: ChannelParts) {
    this.#parts = parts;
    const { signer } = parts;
    const evm = {
      address: signer.address,
      signTypedData: (typed: never) => signer.signTypedData(typed),
      readContract: (args: never) => this.#read(args),
    };
    this.#scheme = new BatchSettlementEvmScheme(evm as never, {
      storage: this.#storage,
      depositStrategy: ({ currentBalance, clientContext, minimumDepositAmount }) =>
        this.#depositOf(
          Number(currentBalance) - Number(clientContext.chargedCumulativeAmount ?? 0),
          Number(minimumDepositAmount),
        ),
    });
  }

  async buy<Body>(request: Request, limits: CallLimits = {}): Promise<Paid<Body>> {
    return this.#inTurn(async () => {
      const { sender, paidBy } = this.#parts;
      const { answer, voucher } = await this.#pay(request, limits, (call) => sender.json<Body>(call));
      const paid = paidBy(answer as Answer<Body>, voucher?.micro);
      if (voucher !== undefined) await this.#settle(request, voucher, paid.charge.micro);
      return paid;
    });
  }

  buyMetered<Body>(request: Request): Promise<Paid<Body>> {
    return this.buy<Body>(request);
  }

  async open(request: Request): Promise<Opened> {
    const { sender, microOf } = this.#parts;
    const send = (call: Request): Promise<Response> => sender.open(call);
    const { answer, voucher } = await this.#inTurn(() => this.#pay(request, {}, send));
    const call = { ...request, headers: { ...request.headers, ...voucher?.headers } };
    return {
      response: answer,
      again: () => send(call),
      settle: async (costMicro) => {
        if (voucher === undefined) return 0;
        const micro = microOf(costMicro, voucher.micro) ?? voucher.micro;
        await this.#settle(request, voucher, micro);
        return micro;
      },
      // If the reader leaves an answer, the text so far is charged. The next 402 proves the new total.
      end: () => Promise.resolve(),
    };
  }

  async decide(idempotencyKey: string, chargeState: ChargeState | undefined): Promise<void> {
    const { budget, sender, signer, reservationIdOf, COSTS_NOTHING } = this.#parts;
    const id = await reservationIdOf(sender.baseUrl, idempotencyKey, signer.address);
    const reservation = await budget.findOpen(id);
    reservation?.leave();
    // A refund goes to the balance of the wallet, so for the channel a refunded call stays charged. A call that cost
    // nothing has still handed out its voucher.
    const isDecided =
      chargeState === 'charged' || chargeState === 'refunded' || COSTS_NOTHING.has(chargeState);
    if (isDecided) await reservation?.confirm(reservation.micro);
  }

  /** The state of the wallet's channel, as the service reports it; undefined if the channel has paid nothing yet. */
  async state(): Promise<ChannelState | undefined> {
    return this.#stateOf(this.#idOf(await this.#offer()));
  }

  /** Returns the unspent money to the wallet. */
  close(): Promise<{ readonly transaction: string; readonly amount?: string | undefined }> {
    const { sender, fetch } = this.#parts;
    return this.#inTurn(async () => {
      const settled = await this.#scheme.refund(sender.urlOf({ path: ROUTE }).href, { fetch });
      this.#unspent = 0;
      return settled;
    });
  }

  /** A channel runs one call at a time, so each voucher continues the total of the previous charge. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #pay<T>(
    request: Request,
    limits: CallLimits,
    send: (call: Request) => Promise<T>,
  ): Promise<{ readonly answer: T; readonly voucher: Voucher | undefined }> {
    const { costNothing } = this.#parts;
    const key = request.headers?.['Idempotency-Key'] ?? '';
    const earlier = this.#vouchers.get(key);
    let voucher = earlier;
    for (let round = 1; ; round += 1) {
      try {
        const headers = { ...request.headers, ...voucher?.headers };
        return { answer: await send({ ...request, headers }), voucher };
      } catch (error) {
        const isFree = costNothing(error, earlier !== undefined);
        if (voucher !== undefined) {
          // Without this entry, the next payment reads the balance again.
          if (voucher.depositMicro > 0) await this.#storage.delete(voucher.channelId);
          if (isFree) this.#vouchers.delete(key);
          else voucher.reservation.leave();
        }
        const refusal = error as LamppostError;
        const isAgain = refusal.status === 402 && isFree && round < ROUNDS_MAX;
        const isCorrected = isAgain && voucher !== undefined && (await this.#correct(refusal, voucher));
        if (isFree) await this.#giveUp(voucher);
        if (!isAgain || (voucher !== undefined && !isCorrected)) throw error;
        voucher = await this.#sign(refusal, request, limits);
        this.#vouchers.set(key, voucher);
      }
    }
  }

  /**
   * Whether a new voucher can replace the refused one. It can after a wrong total, and if the balance of the channel is
   * lower than the client's value.
   */
  async #correct(refusal: LamppostError, { channelId }: Voucher): Promise<boolean> {
    const required = this.#parts.readRequired(refusal) as unknown as { error?: string };
    if (await this.#scheme.processCorrectivePaymentRequired(required as never)) return true;
    if (!/exceeds_balance|channel_not_found/.test(String(required?.error))) return false;
    await this.#storage.delete(channelId);
    return true;
  }

  /** The call cost nothing. Its voucher still counts, unless another program of this wallet has signed a higher total. */
  async #giveUp(voucher: Voucher | undefined): Promise<void> {
    if (voucher === undefined) return;
    const { reservation, channelId } = voucher;
    const proven = Number((await this.#storage.get(channelId))?.signedMaxClaimable ?? 0);
    if (proven > (this.#counted.get(channelId) ?? 0)) await reservation.release();
    else await reservation.confirm(reservation.micro);
  }

  /** The total that the next voucher signs, and its growth over everything that was signed or claimed before. */
  async #growthOf(channelId: `0x${string}`, micro: number): Promise<{ signedMicro: number; growth: number }> {
    const known = await this.#storage.get(channelId);
    const claimed = known === undefined ? Number((await this.#read({ args: [channelId] }))[1]) : 0;
    const signedMicro = Number(known?.chargedCumulativeAmount ?? claimed) + micro;
    const before = [
      this.#counted.get(channelId) ?? 0,
      Number(known?.signedMaxClaimable ?? 0),
      Number(known?.totalClaimed ?? claimed),
    ];
    return { signedMicro, growth: Math.max(0, signedMicro - Math.max(...before)) };
  }

  async #sign(refusal: LamppostError, request: Request, limits: CallLimits): Promise<Voucher> {
    const { budget, sender, signer, reservationIdOf, toBase64, readRequired } = this.#parts;
    const accepted = this.#accepted(refusal);
    const micro = Number(accepted.amount);
    const { maxPriceMicro, knownMicro } = limits;
    const channelId = this.#idOf(accepted);
    const { signedMicro, growth } = await this.#growthOf(channelId, micro);
    const isUnlimited = maxPriceMicro === undefined && !budget.limitsCalls;
    const reservation = await budget.reserve({
      id: await reservationIdOf(sender.baseUrl, request.headers?.['Idempotency-Key'], signer.address),
      micro: growth,
      priceMicro: micro,
      limits: [maxPriceMicro, knownMicro, isUnlimited ? SIGNED_MICRO_MAX : undefined].filter(
        (one) => one !== undefined,
      ),
    });
    try {
      const maxTimeoutSeconds = Math.min(Math.ceil(accepted.maxTimeoutSeconds), VALID_SECONDS_MAX);
      const bounded = {
        ...accepted,
        maxTimeoutSeconds,
        extra: { ...accepted.extra, assetTransferMethod: 'eip3009' },
      };
      const { payload } = await this.#scheme.createPaymentPayload(2, bounded as Accepted);
      if (Number((payload['voucher'] as { maxClaimableAmount?: string }).maxClaimableAmount) !== signedMicro)
        throw new TypeError('The channel changed while its voucher was signed. Call again.');
      this.#counted.set(channelId, Math.max(signedMicro, this.#counted.get(channelId) ?? 0));
      request.signal?.throwIfAborted();
      const depositMicro = Number((payload['deposit'] as { amount?: string } | undefined)?.amount ?? 0);
      this.#unspent += depositMicro;
      if (depositMicro > 0) this.#until = Date.now() + maxTimeoutSeconds * 1_000;
      const { resource = {} } = readRequired(refusal) ?? {};
      const header = toBase64({ x402Version: 2, resource, accepted, payload });
      const headers = { 'PAYMENT-SIGNATURE': header };
      return { headers, accepted, channelId, depositMicro, micro, reservation };
    } catch (error) {
      await reservation.release();
      throw error;
    }
  }

  /** Records the cost of the call; the next voucher continues from there. */
  async #settle({ headers }: Request, voucher: Voucher, micro: number): Promise<void> {
    const { channelId, depositMicro, reservation } = voucher;
    this.#vouchers.delete(headers?.['Idempotency-Key'] ?? '');
    const known = await this.#storage.get(channelId);
    const charged = Number(known?.chargedCumulativeAmount ?? 0) + micro;
    const balance = Number(known?.balance ?? 0) + depositMicro;
    await this.#storage.set(channelId, {
      ...known,
      chargedCumulativeAmount: String(charged),
      balance: String(balance),
    });
    this.#unspent = Math.max(0, this.#unspent - micro);
    await reservation.confirm(reservation.micro);
  }

  /**
   * Fills the channel up to its limit. A signed deposit counts as taken, because the service may have taken it. Only
   * the caller's own node can prove that nobody has, after the deposit has expired.
   */
  #depositOf(statedMicro: number, neededMicro: number): string {
    const isKnown = this.#parts.budget.rpcUrl !== undefined && Date.now() >= this.#until;
    const own = isKnown ? 0 : this.#unspent;
    const deposit = this.#parts.depositMicro - Math.max(statedMicro, own, 0);
    if (deposit < neededMicro)
      throw new TypeError(
        `Nothing was signed: the channel lacks $${neededMicro / 1e6}. Raise the client's deposit, or use \`lamppost channel open\`.`,
      );
    return String(deposit);
  }

  #idOf(accepted: Requirement): `0x${string}` {
    const wire = accepted as Accepted;
    return computeChannelId(
      this.#scheme.buildChannelConfig(wire),
      wire.network,
    ).toLowerCase() as `0x${string}`;
  }

  #accepted(refusal: LamppostError): Requirement {
    const { readRequired, chosenOf, payable } = this.#parts;
    const { accepts = [] } = readRequired(refusal) ?? {};
    const { offer, objections } = chosenOf(accepts, payable, 'batch-settlement');
    if (offer !== undefined) return offer;
    refusal.message += ` Nothing was signed: ${objections.join('; ') || 'it offers no channel'}.`;
    throw refusal;
  }

  async #offer(): Promise<Requirement> {
    try {
      await this.#parts.sender.json({ method: 'GET', path: ROUTE });
    } catch (error) {
      if ((error as LamppostError).status === 402) return this.#accepted(error as LamppostError);
      throw error;
    }
    throw new TypeError('The service offers no channels.');
  }

  async #stateOf(channelId: string): Promise<ChannelState | undefined> {
    try {
      const path = `${ROUTE}/${channelId}`;
      return (await this.#parts.sender.json<ChannelState>({ method: 'GET', path })).body;
    } catch (error) {
      if ((error as LamppostError).status === 404) return undefined;
      throw error;
    }
  }

  /**
   * The balance and the claimed sum of a channel, from the caller's own node. Without a node, the service reports the
   * balance, which no signature exceeds, and nothing counts as claimed.
   */
  async #read(args: { readonly args: readonly [`0x${string}`] }): Promise<readonly bigint[]> {
    const { rpcUrl } = this.#parts.budget;
    if (rpcUrl !== undefined)
      return createPublicClient({ transport: http(rpcUrl) }).readContract(args as never) as Promise<
        readonly bigint[]
      >;
    const stated = await this.#stateOf(args.args[0]);
    return [BigInt(this.#parts.microOf(stated?.balanceMicro) ?? 0), 0n];
  }
}
