import { type Micro, micro, smaller } from '#kernel/money';
import type { ChargeDraft } from '../charges/charge';
import type { PaymentRail } from '../rails/rail';

/**
 * The money that is held for a by-use call. It begins with the price of the draft, and may grow up to its list price
 * while the work runs.
 */
export class GrowingHold {
  private amount: Micro;

  constructor(
    private readonly rail: Pick<PaymentRail, 'extend' | 'roomOf' | 'shareOf'>,
    private readonly draft: ChargeDraft,
  ) {
    this.amount = draft.price;
  }

  get held(): Micro {
    return this.amount;
  }

  /** The most that the payer can spend on this call at the moment. */
  async affordable(): Promise<Micro> {
    const { list } = this.draft;
    if (this.amount >= list) return this.amount;
    return smaller(list, micro(this.amount + (await this.rail.roomOf(this.draft))));
  }

  /**
   * The most that the work may be allowed to cost unseen. All open calls of the payer share the free money, because each
   * of them could use it up before anybody notices.
   */
  async promised(): Promise<Micro> {
    const { list } = this.draft;
    if (this.amount >= list) return this.amount;
    return smaller(list, micro(this.amount + (await this.rail.shareOf(this.draft))));
  }

  /** Holds the amount, or as much of it as the payer has and the call may cost. False if this is less than the amount. */
  async reach(amount: Micro): Promise<boolean> {
    const { list } = this.draft;
    if (!(await this.extendTo(smaller(amount, list))))
      await this.extendTo(smaller(amount, await this.affordable()));
    return this.amount >= amount;
  }

  /** False if the payer can't pay so much. */
  private async extendTo(wanted: Micro): Promise<boolean> {
    if (wanted <= this.amount) return true;
    const held = await this.rail.extend(this.draft, wanted);
    this.amount = held ?? this.amount;
    return held !== undefined;
  }
}
