import { Injectable, Logger } from '@nestjs/common';

import { EventSequencer } from '#notices/outbox/event-sequencer';
import { newId } from '#kernel/ids';
import type { Micro } from '#kernel/money';
import { DatabaseUnavailable } from '#platform/database/database.errors';
import { retryDuringOutage } from '#platform/database/retry-during-outage';
import { ChargesMetrics } from './charges.metrics';
import type { ChargeDraft, Held, HoldRefusal, MeasuredUse, SameCall, SettledAnswer } from '../charges/charge';
import type { Charge, ChargeState } from '../charges/charge.entity';
import { ChargeNotifier } from '../charges/charge-notifier';
import { ChargeRepository } from '../charges/charge.repository';
import { IdempotencyInFlight } from '../charges/repeated-call.errors';
import { MemberBudgetSpent } from '../charges/funds.errors';
import { SettlementPending, WorkInDoubt } from '../charges/in-doubt.errors';
import { LeaseKeeper } from '../charges/lease-keeper';
import { PrepaidRail } from '../rails/prepaid-rail';
import type { Captured } from '../rails/rail';
import { Rails } from '../rails/rails';
import { AnswerVault } from './answer-vault';
import { EndedPayers } from './ended-payers';
import { GrowingHold } from './growing-hold';
import type { PaidCall } from './paid-call';

export interface HeldCharge {
  readonly draft: ChargeDraft;
  /** The payer's remaining money, on rails where we hold it. */
  readonly balance?: Micro;
  /** Whether the rail is prepaid, so that the held money exists. */
  readonly isPrepaid: boolean;
  /** Headers that prove a payment which has already happened, even if the call fails later. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly jobId?: string;
}

interface CapturedCharge extends Captured {
  readonly state: 'charged' | 'released';
}

/**
 * `hold` throws this error if an equal call was first. `RunPaidCall` then waits for the answer of the equal call.
 */
export class AlreadyHeld extends Error {}

/**
 * The only class that moves a charge while its call runs. Most calls hold their price and settle it. A call whose price
 * is known only at the end reserves its worst case and captures its use. If the work fails, `release` undoes either
 * hold.
 */
@Injectable()
export class ChargeService {
  private readonly logger = new Logger(ChargeService.name);

  constructor(
    private readonly rails: Rails,
    private readonly charges: ChargeRepository,
    private readonly leases: LeaseKeeper,
    private readonly notifier: ChargeNotifier,
    private readonly events: EventSequencer,
    private readonly vault: AnswerVault,
    private readonly metrics: ChargesMetrics,
    private readonly endedPayers: EndedPayers,
  ) {}

  find(chargeId: string): Promise<Charge | undefined> {
    return this.charges.find(chargeId);
  }

  /** Ends the lease of a charge whose outcome is known, so that the sweep decides the charge without a wait. */
  decideSoon(chargeId: string): Promise<void> {
    return this.charges.decideSoon(chargeId);
  }

  /** Stores the provider's bill. The reconciliation compares the bill with the price. */
  billed(chargeId: string, cost: Micro): Promise<void> {
    return this.charges.billed(chargeId, cost);
  }

  /**
   * Holds the price of the call, or the most that a by-use call can cost. The money remains held until a later step or
   * the sweep decides the charge.
   */
  async hold(call: PaidCall, mark: string | undefined, same?: SameCall): Promise<HeldCharge> {
    let draft: ChargeDraft = { ...draftOf(call, mark), same };
    const rail = this.rails.of(draft.rail);
    const reserve = (): Promise<Held> =>
      call.route.answer === 'by-use' ? rail.reserve(call, draft) : rail.hold(call, draft);
    let held = await reserve();
    const { least = draft.price } = call;
    if (!held.ok && least < draft.price && LACKS_MONEY.has(held.reason)) {
      draft = { ...draft, price: least };
      held = await reserve();
    }
    if (!held.ok) {
      throw held.reason === 'duplicate' ? new AlreadyHeld() : await this.refusal(held.reason, draft, call);
    }
    this.begin(draft);
    return { draft, balance: held.balance, isPrepaid: rail.isPrepaid, headers: held.headers };
  }

  /** The hold of a call that is charged by usage, which may grow. */
  growing(draft: ChargeDraft): GrowingHold {
    return new GrowingHold(this.rails.of(draft.rail), draft);
  }

  /**
   * Takes the money. Every error from here is about the payment, never about the work. If the interceptor took it for
   * failed work, this process and the sweep would both decide the charge.
   */
  async settle(
    call: PaidCall,
    { draft }: HeldCharge,
    answer: Answer | undefined,
  ): Promise<Readonly<Record<string, string>>> {
    try {
      const settlement = await this.rails
        .of(draft.rail)
        .settle(call, draft, this.settled(draft, answer, call.route.replaySeconds));
      switch (settlement.outcome) {
        case 'charged':
          this.metrics.moved(draft.rail, 'charged');
          return settlement.headers;
        case 'failed':
          this.metrics.moved(draft.rail, 'released');
          throw settlement.error;
        case 'unknown':
          this.logger.error({ err: settlement.error, chargeId: draft.id }, 'A settlement is in doubt.');
          throw new SettlementPending(draft.id, settlement.error);
        default:
          return settlement satisfies never;
      }
    } catch (error) {
      throw error instanceof DatabaseUnavailable ? new SettlementPending(draft.id, error) : error;
    } finally {
      this.end(draft);
    }
  }

  /**
   * Charges the use of a call, and stores the whole answer for repetitions. If the use is 0, it releases the whole
   * hold. Only this process knows the use, so it retries during a short outage of the database.
   */
  async capture(
    call: PaidCall,
    draft: ChargeDraft,
    used: Micro,
    answer?: object,
    use?: MeasuredUse,
  ): Promise<CapturedCharge> {
    try {
      const captured = await retryDuringOutage(() => this.take(call, draft, used, answer, use));
      this.metrics.moved(draft.rail, captured.state);
      return captured;
    } catch (error) {
      throw error instanceof DatabaseUnavailable ? new SettlementPending(draft.id, error) : error;
    } finally {
      this.end(draft);
    }
  }

  /**
   * Releases the hold of a call whose work certainly failed. Leaves a charge in doubt to the sweep. Returns the known
   * state of the charge, which another process may have decided.
   */
  async release(draft: ChargeDraft, error?: unknown): Promise<ChargeState> {
    try {
      if (error instanceof WorkInDoubt) return 'held';
      if (await this.rails.of(draft.rail).release(draft.id)) {
        this.metrics.moved(draft.rail, 'released');
        return 'released';
      }
      return (await this.charges.find(draft.id))?.state ?? 'held';
    } catch (failure) {
      this.logger.warn({ err: failure, chargeId: draft.id }, 'A hold could not be released; the sweep will.');
      return 'held';
    } finally {
      this.end(draft);
    }
  }

  /**
   * Refunds a charge whose work failed after the settlement. A charge is refunded at most once. False if the refund must
   * wait for the charge's own money.
   */
  async refund({ id, rail }: Charge): Promise<boolean> {
    const payers = this.rails.of(rail);
    return (await payers.refund(id)) || !(await payers.refundWaits(id));
  }

  private begin({ id, rail }: ChargeDraft): void {
    this.leases.keep(id);
    this.metrics.moved(rail, 'held');
  }

  private end({ id }: ChargeDraft): void {
    this.leases.letGo(id);
    this.notifier.moved(id);
    this.events.chargeDecided();
  }

  private async take(
    { route }: PaidCall,
    draft: ChargeDraft,
    used: Micro,
    answer?: object,
    use?: MeasuredUse,
  ): Promise<CapturedCharge> {
    const state = used > 0n ? 'charged' : 'released';
    const rail = this.rails.of(draft.rail);
    const kept = this.settled(draft, answer && { status: 200, body: answer }, route.replaySeconds);
    const captured = await rail.capture(draft, kept, used, use);
    if (captured !== undefined) return { state, ...captured };
    // Either this process has decided the charge and lost the database's answer, or the sweep decided it while this
    // process was suspended.
    const decided = await this.charges.find(draft.id);
    if (decided?.state !== state) throw new SettlementPending(draft.id);
    return rail instanceof PrepaidRail
      ? { state, left: await rail.balance(fundsOf(draft)) }
      : { state, headers: await rail.receiptHeaders(draft.id) };
  }

  private settled(draft: ChargeDraft, answer: Answer | undefined, replaySeconds: number): SettledAnswer {
    const watched = draft.mark !== undefined;
    if (answer === undefined) return { chargeId: draft.id, watched };
    return {
      chargeId: draft.id,
      jobId: answer.jobId,
      watched,
      replay: {
        status: answer.status,
        sealed: this.vault.seal(draft.payer, draft.fingerprint, answer.body),
        seconds: replaySeconds,
      },
    };
  }

  private async refusal(
    reason: Exclude<HoldRefusal, 'duplicate'>,
    draft: ChargeDraft,
    call: PaidCall,
  ): Promise<Error> {
    if (reason === 'overtaken') return new IdempotencyInFlight();
    if (reason === 'ended') return this.endedPayers.refusalOf(draft);
    if (reason === 'budget') return new MemberBudgetSpent();
    // A key's reserve is its limit, even if its owner has more money.
    const [rail, payer] = [this.rails.of(draft.rail), call.payer!];
    return reason === 'short' && draft.key?.reserveId === undefined
      ? rail.shortOf(call, payer)
      : rail.overLimit(call, payer);
  }
}

/** Reasons to try a hold again with less. */
const LACKS_MONEY: ReadonlySet<HoldRefusal> = new Set(['short', 'key-limit', 'budget']);

const fundsOf = ({ accountId, key }: ChargeDraft) => ({ ledgerAccount: accountId, key });

const draftOf = (
  { route, payer, price, most, priced, fingerprint, body }: PaidCall,
  mark: string | undefined,
): ChargeDraft => {
  if (payer === undefined || price === undefined) {
    throw new Error('A call is held only after its payer is proven and its price is final.');
  }
  return {
    id: newId('ch'),
    rail: payer.rail,
    operation: route.operation.name,
    payer: payer.id,
    accountId: payer.ledgerAccount,
    key: payer.key,
    proof: payer.provenBy,
    modelId: priced.modelId,
    price,
    // A quote may have locked the price of an older list.
    list: most ?? (price > priced.list ? price : priced.list),
    discountPercent: route.answer === 'by-use' ? 0 : payer.discountPercent,
    fingerprint,
    mark,
    tag: body.tag,
    personId: payer.acting?.person.id,
    budgetId: payer.budgetId,
  };
};
