import { BudgetExceeded } from './errors.ts';

export interface Limits {
  /** The most that one call may cost, in USD. */
  readonly perCall?: number;
  /** The most that this client may spend in all, in USD. */
  readonly total?: number;
}

const micro = (usd: number | undefined, name: string): number => {
  if (usd === undefined) return Infinity;
  if (!(usd >= 0)) throw new TypeError(`budget.${name} must be an amount of USD.`);
  return Math.floor(usd * 1e6 + 1e-6);
};

/** What may be spent. A price is taken before anything is signed or sent, and comes back when the call cost nothing. */
export class Budget {
  private readonly perCall: number;
  private left: number;
  /** Whether there is any limit: without one no price has to be known. */
  readonly isLimited: boolean;

  constructor({ perCall, total }: Limits = {}) {
    this.perCall = micro(perCall, 'perCall');
    this.left = micro(total, 'total');
    this.isLimited = perCall !== undefined || total !== undefined;
  }

  /** `perCallMicro` stands in for a limit of a call that nobody has set. */
  take(priceMicro: number, perCallMicro = Infinity): void {
    // A price that is none would pass every comparison, and leave a budget that refuses nothing.
    if (!Number.isSafeInteger(priceMicro) || priceMicro < 0) {
      throw new TypeError(`The service names a price that is none: ${priceMicro}.`);
    }
    const mayCost = Math.min(this.perCall === Infinity ? perCallMicro : this.perCall, this.left);
    if (priceMicro > mayCost) throw new BudgetExceeded(priceMicro, mayCost);
    this.left -= priceMicro;
  }

  /** Gives back what a call did not cost. Only a cost that can be true gives anything back. */
  settle(takenMicro: number, costMicro: number): void {
    if (costMicro >= 0 && costMicro <= takenMicro) this.giveBack(takenMicro - costMicro);
  }

  giveBack(priceMicro: number): void {
    this.left += priceMicro;
  }
}
