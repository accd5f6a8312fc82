import { type Micro, micro, smaller } from '../../kernel/money';
import type { ChargeDraft } from '../charges/charge';
import type { PaymentRail } from '../rails/rail';

/**
 * The money that is held for a by-use call. It begins with the price of the draft, and may grow up to its list price
 * while the work runs.
 */
export class GrowingHold {
  private amount: Micro;

  constructor(
    private readonly rail: Pick<PaymentRail, 'extend' | 'roomOf'>,
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

  /** Holds the amount, or the most that the call may cost. False if the payer can't pay it. */
  async reach(amount: Micro): Promise<boolean> {
    const wanted = smaller(amount, this.draft.list);
    if (wanted <= this.amount) return true;
    const held = await this.rail.extend(this.draft, micro(wanted - this.amount));
    this.amount = held ?? this.amount;
    return held !== undefined;
  }

  /** Holds as much of the amount as the payer has. */
  async reachNearest(amount: Micro): Promise<void> {
    if (await this.reach(amount)) return;
    await this.reach(smaller(amount, await this.affordable()));
  }
}
