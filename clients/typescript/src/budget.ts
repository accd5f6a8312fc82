import { sureMicro } from './amounts.ts';
import { FileJournal } from './budget-file.ts';
import { type Book, type Entry, type Journal, MemoryJournal, type SignedPayment } from './budget-journal.ts';
import { wasTaken } from './chain.ts';
import { BudgetExceeded } from './errors.ts';
import { refuseUnknown } from './unknown-options.ts';

export interface Limits {
  /** The most that one call may cost, in USD. */
  readonly perCall?: number | undefined;
  /** The most that all calls together may cost, in USD. */
  readonly total?: number | undefined;
  /**
   * A file for the history, for programs that run repeatedly and for several programs at once. Without it, the history
   * is in memory.
   */
  readonly file?: string | undefined;
  /**
   * The address of a node of the chain. With a node, the money of a signed payment that nobody has taken becomes free
   * again after the payment's validity.
   */
  readonly rpcUrl?: string | undefined;
}

/** The amounts of a budget, in micro-USD. */
export interface Spending {
  readonly spentMicro: number;
  /**
   * The sum of calls that may still be charged: running calls, calls with a lost answer, and refused signed payments.
   */
  readonly reservedMicro: number;
  /** `Infinity` without a `total`. */
  readonly leftMicro: number;
}

/** Money that is reserved for one call until its cost is known. */
export interface Reservation {
  readonly micro: number;
  /** The call has cost this much, at most the reserved amount. A replayed answer of a paid call costs nothing. */
  confirm(costMicro: number, isReplay?: boolean): Promise<void>;
  /** The call certainly cost nothing. If another try of the call still runs, the money stays reserved for it. */
  release(): Promise<void>;
  /** The cost is unknown, so the money stays reserved. */
  leave(): void;
  /** Whether an earlier try of the same call made this reservation. */
  readonly isJoined: boolean;
  /** The confirmed amount was refunded. This can happen once. */
  refund(): Promise<void>;
}

export interface Wanted {
  /** The name of the call. It is the same for all its repetitions. */
  readonly id: string;
  readonly micro: number;
  /** The price that the limits of one call apply to, if it is not `micro`. */
  readonly priceMicro?: number;
  /** Limits of this call, in micro-USD. */
  readonly limits?: readonly number[];
  readonly payment?: SignedPayment;
}

const NAMES = ['perCall', 'total', 'file', 'rpcUrl'] as const;

const microOfUsd = (usd: number | undefined, name: string): number => {
  if (usd === undefined) return Infinity;
  if (typeof usd !== 'number' || !(usd >= 0)) throw new TypeError(`budget.${name} must be an amount of USD.`);
  return Math.floor(usd * 1e6 + 1e-6);
};

/**
 * The limits and the spending. A price is reserved before anything is signed or sent, and only this class computes the
 * remaining amount. Clients share a budget if they use the same object. Programs share one if they name the same
 * `file`.
 *
 * @example
 * const budget = new Budget({ perCall: 0.5, total: 10 });
 * const drawer = new Lamppost({ baseUrl, key, budget });
 * const writer = new Lamppost({ baseUrl, key, budget });
 */
export class Budget {
  private readonly perCallMicro: number;
  private readonly totalMicro: number;
  private readonly journal: Journal;
  /** @internal */
  readonly rpcUrl: string | undefined;
  /** How many calls in this program wait for one reservation. */
  private readonly holders = new Map<string, number>();
  /**
   * Whether there is any limit. Without a limit, the client need not know prices.
   * @internal
   */
  readonly isLimited: boolean;
  /** @internal */
  readonly limitsCalls: boolean;

  constructor(limits: Limits = {}) {
    refuseUnknown(limits, NAMES, 'budget');
    const { perCall, total, file, rpcUrl } = limits;
    this.perCallMicro = microOfUsd(perCall, 'perCall');
    this.totalMicro = microOfUsd(total, 'total');
    this.isLimited = perCall !== undefined || total !== undefined;
    this.limitsCalls = perCall !== undefined;
    this.journal = file === undefined ? new MemoryJournal() : new FileJournal(file);
    this.rpcUrl = rpcUrl;
  }

  /**
   * The spent, reserved and remaining amounts.
   *
   * @example
   * const { spentMicro, reservedMicro, leftMicro } = await new Budget({ total: 10 }).state();
   */
  async state(): Promise<Spending> {
    const book = await this.expire();
    const { spentMicro, reservedMicro } = book;
    return { spentMicro, reservedMicro, leftMicro: book.leftOf(this.totalMicro) };
  }

  /** The reservation that an earlier try of the same call has made, in this process or in another.
   * @internal */
  async find(id: string): Promise<Reservation | undefined> {
    const open = await this.findOpen(id);
    const earlier = (await this.journal.read()).paid.get(id);
    // A refunded call may be charged again.
    if (open !== undefined || earlier === undefined || earlier.isBack === true) return open;
    // The call is paid, so its repetition reserves nothing.
    const { micro } = earlier;
    return {
      micro,
      isJoined: true,
      confirm: async (costMicro, isReplay) =>
        void (await this.spend(id, Math.min(micro, costMicro), isReplay)),
      release: () => Promise.resolve(),
      leave: () => undefined,
      refund: this.refundOf(id, micro),
    };
  }

  /** The reservation of a call whose cost is unknown.
   * @internal */
  async findOpen(id: string): Promise<Reservation | undefined> {
    const found = (await this.journal.read()).open.get(id);
    return found && this.reservation(id, found.micro, true);
  }

  /** Records the refund of a paid call. This can happen once.
   * @internal */
  async refund(id: string): Promise<void> {
    const paid = (await this.journal.read()).paid.get(id);
    if (paid !== undefined) await this.add({ type: 'refund', micro: paid.micro, id });
  }

  /** Reserves a price, or throws before anything was signed or sent.
   * @internal */
  async reserve({ id, micro, priceMicro = micro, limits = [], payment }: Wanted): Promise<Reservation> {
    sureMicro(micro, 'a price');
    const mayCost = Math.min(this.perCallMicro, ...limits);
    if (priceMicro <= mayCost) {
      const entry: Entry = { type: 'reserve', id, micro, payment, ...this.total };
      if ((await this.journal.add(entry)).open.has(id)) return this.reservation(id, micro);
      // After expired payments are decided, the price may fit into the limit.
      const left = (await this.expire()).leftOf(this.totalMicro);
      if (micro <= left && (await this.journal.add(entry)).open.has(id)) return this.reservation(id, micro);
    }
    const book = await this.journal.read();
    throw new BudgetExceeded(priceMicro, Math.min(mayCost, book.leftOf(this.totalMicro)), book.reservedMicro);
  }

  /** Records spending if there is no limit.
   * @internal */
  async spend(id: string, micro: number, isReplay = false): Promise<Pick<Reservation, 'refund'>> {
    // An unreadable history must not lose a paid answer.
    const book = isReplay ? await this.journal.read().catch(() => undefined) : undefined;
    if (book?.paid.has(id) !== true) await this.add({ type: 'spend', micro, id });
    return { refund: this.refundOf(id, micro) };
  }

  private get total(): { readonly total?: number } {
    return this.totalMicro === Infinity ? {} : { total: this.totalMicro };
  }

  private reservation(id: string, micro: number, isJoined = false): Reservation {
    let refund = (): Promise<void> => Promise.resolve();
    let isHeld = true;
    this.holders.set(id, (this.holders.get(id) ?? 0) + 1);
    /** Whether no other call in this program waits for the same call. */
    const leave = (): boolean => {
      const others = (this.holders.get(id) ?? 0) - (isHeld ? 1 : 0);
      isHeld = false;
      if (others > 0) this.holders.set(id, others);
      else this.holders.delete(id);
      return others <= 0;
    };
    return {
      micro,
      isJoined,
      confirm: async (costMicro) => {
        const cost = Math.min(micro, costMicro);
        leave();
        await this.add({ type: 'confirm', id, micro: cost });
        refund = this.refundOf(id, cost);
      },
      release: async () => {
        if (leave()) await this.add({ type: 'release', id });
      },
      leave: () => void leave(),
      refund: () => refund(),
    };
  }

  private refundOf(id: string, micro: number): () => Promise<void> {
    let isBack = false;
    return async () => {
      if (!isBack) await this.add({ type: 'refund', micro, id });
      isBack = true;
    };
  }

  /** If the history can't be written, the reservation stays and counts. The caller still gets the answer. */
  private async add(entry: Entry): Promise<void> {
    await this.journal.add(entry).catch(() => undefined);
  }

  /**
   * Decides expired signed payments. Nobody can take them any more, but somebody may have taken them before. Only the
   * chain can prove that nobody has; without a node, they count as spent.
   */
  private async expire(): Promise<Book> {
    let book = await this.journal.read();
    for (const [id, { micro, payment }] of book.open) {
      if (payment === undefined || payment.validBefore * 1_000 > Date.now()) continue;
      const taken = this.rpcUrl === undefined ? true : await wasTaken(payment, this.rpcUrl, fetch);
      if (taken === undefined) continue;
      book = await this.journal.add(taken ? { type: 'confirm', id, micro } : { type: 'release', id });
    }
    return book;
  }
}
