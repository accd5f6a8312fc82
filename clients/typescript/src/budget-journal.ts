/** The identity of a signed payment on its chain, and its validity. */
export interface SignedPayment {
  readonly network: string;
  readonly asset: string;
  readonly from: string;
  readonly nonce: string;
  /** Unix seconds. */
  readonly validBefore: number;
}

/** One line of a budget's history. The order of the lines decides which reservations fit. */
export type Entry =
  | {
      readonly type: 'reserve';
      readonly id: string;
      readonly micro: number;
      /** The client's total limit at the time of the reservation; absent if there is no limit. */
      readonly total?: number | undefined;
      readonly payment?: SignedPayment | undefined;
    }
  /** Up to `micro` of a reservation was spent. */
  | { readonly type: 'confirm'; readonly id: string; readonly micro: number }
  /** A reservation certainly cost nothing. */
  | { readonly type: 'release'; readonly id: string }
  /** Money was spent without a limit, so there was no reservation. */
  | { readonly type: 'spend'; readonly micro: number; readonly id?: string | undefined }
  /** Spent money was refunded, once for each call. */
  | { readonly type: 'refund'; readonly micro: number; readonly id?: string | undefined };

/** The number of paid calls whose repetitions are known. */
const PAID_MAX = 10_000;

export interface OpenReservation {
  readonly micro: number;
  readonly payment?: SignedPayment | undefined;
}

/** The sums of a history. No other code computes them. */
export class Book {
  spentMicro = 0;
  readonly open = new Map<string, OpenReservation>();
  /** The costs of the newest paid calls. A repetition of such a call costs nothing. */
  readonly paid = new Map<string, { readonly micro: number; readonly isBack?: boolean }>();

  get reservedMicro(): number {
    let sum = 0;
    for (const { micro } of this.open.values()) sum += micro;
    return sum;
  }

  leftOf(totalMicro: number): number {
    return Math.max(0, totalMicro - this.spentMicro - this.reservedMicro);
  }

  apply(entry: Entry): void {
    switch (entry.type) {
      case 'reserve': {
        const { id, micro, total = Infinity, payment } = entry;
        if (!this.open.has(id) && micro <= this.leftOf(total)) this.open.set(id, { micro, payment });
        break;
      }
      case 'confirm': {
        const reserved = this.open.get(entry.id);
        if (reserved === undefined) break;
        this.open.delete(entry.id);
        this.pay(entry.id, Math.min(entry.micro, reserved.micro));
        break;
      }
      case 'release':
        this.open.delete(entry.id);
        break;
      case 'spend':
        this.pay(entry.id, entry.micro);
        break;
      default: {
        const { id = '', micro } = entry;
        if (this.paid.get(id)?.isBack === true) break;
        if (id !== '') this.paid.set(id, { micro, isBack: true });
        this.spentMicro = Math.max(0, this.spentMicro - micro);
      }
    }
  }

  private pay(id: string | undefined, micro: number): void {
    this.spentMicro += micro;
    if (id === undefined || id === '' || micro === 0) return;
    this.paid.set(id, { micro });
    const [oldest] = this.paid.keys();
    if (this.paid.size > PAID_MAX) this.paid.delete(oldest!);
  }
}

/** The storage of a history. */
export interface Journal {
  /** Adds an entry. Returns the sums of this entry and of all entries before it. */
  add(entry: Entry): Promise<Book>;
  /** The present sums. */
  read(): Promise<Book>;
}

export class MemoryJournal implements Journal {
  private readonly book = new Book();

  add(entry: Entry): Promise<Book> {
    this.book.apply(entry);
    return this.read();
  }

  read(): Promise<Book> {
    return Promise.resolve(this.book);
  }
}
