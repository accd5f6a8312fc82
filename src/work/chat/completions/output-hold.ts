import type { GrowingHold } from '#money/billing/calls/growing-hold';
import type { Micro } from '#kernel/money';
import type { Meter } from './meter';

/** The hold of an answer begins with so many tokens, and grows by as many. */
export const STEP_TOKENS = 8_000;

/** The next step is held this many tokens before the present one is used up. */
const AHEAD_TOKENS = 1_000;

/** The next step of an answer can't be held, and the present one is used up. */
export class HoldSpent extends Error {}

/** Grows the hold of a conversation with its answer, step by step. */
export class OutputHold {
  private isSpent = false;

  /** From `next` written tokens on, the hold must grow. */
  private constructor(
    private readonly hold: GrowingHold,
    private readonly meter: Meter,
    private readonly priceOf: (cost: Micro) => Micro,
    private next: number,
  ) {}

  /** The hold of an answer of at most `most` tokens, of which so many are held. */
  static of(
    hold: GrowingHold,
    meter: Meter,
    priceOf: (cost: Micro) => Micro,
    [held, most]: readonly [number, number],
  ): OutputHold {
    return new OutputHold(hold, meter, priceOf, held >= most ? Infinity : Math.max(0, held - AHEAD_TOKENS));
  }

  /** Called after each part of the answer. Throws `HoldSpent` if the payer can't pay more. */
  async follow(): Promise<void> {
    if (this.meter.completionTokens >= this.next) await this.grow();
  }

  private async grow(): Promise<void> {
    const { meter, hold } = this;
    if (!this.isSpent) {
      try {
        this.isSpent = !(await hold.reach(this.priceOf(meter.priceAfter(STEP_TOKENS))));
      } catch {
        // The database is away. The answer goes on, and the charge at its end grows the hold again.
        this.next = meter.completionTokens + AHEAD_TOKENS;
        return;
      }
      if (!this.isSpent) this.next = meter.completionTokens + STEP_TOKENS - AHEAD_TOKENS;
    }
    if (this.isSpent && this.priceOf(meter.price) >= hold.held) throw new HoldSpent();
  }
}

/**
 * The most tokens that an answer may have for this money. A vendor's model may think without a sign of it, so the
 * vendor gets no higher limit than the payer can pay.
 */
export const tokensFor = (money: Micro, most: number, priceAt: (tokens: number) => Micro): number => {
  if (priceAt(most) <= money) return most;
  let [enough, tooMany] = [1, most];
  while (tooMany - enough > 1) {
    const middle = Math.floor((enough + tooMany) / 2);
    if (priceAt(middle) <= money) enough = middle;
    else tooMany = middle;
  }
  return enough;
};
