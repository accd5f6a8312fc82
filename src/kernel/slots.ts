interface Waiting {
  readonly weight: number;
  readonly begin: () => void;
}

/** Those that wait, by key; the key whose turn is next comes first. */
type Queues = Map<string, Waiting[]>;

export interface SlotOptions {
  /** How much of the room one key may have; all of it when absent. */
  readonly perKey?: number;
  /** How much of the room all guests together may have; all of it when absent. */
  readonly forGuests?: number;
}

/** The key of somebody who has shown no money. */
export class Guest {
  constructor(readonly key: string) {}
}

/** Work of a guest that weighs more than all guests together may have. */
export class TooMuchForGuests extends Error {}

/**
 * Lets so much run at once. Work that waits is served in turn by key, so that one key with a thousand pieces of work
 * delays a neighbour's first by one piece only. Work of guests begins only while nobody else waits.
 */
export class Slots {
  private readonly perKey: number;
  private readonly forGuests: number;
  private readonly used = new Map<string, number>();
  private readonly waiting: Queues = new Map();
  private readonly guestsWaiting: Queues = new Map();
  private free: number;
  private usedByGuests = 0;

  constructor(
    readonly room: number,
    { perKey = room, forGuests = room }: SlotOptions = {},
  ) {
    this.free = room;
    this.perKey = perKey;
    this.forGuests = forGuests;
  }

  /** Work that weighs more than there is room for gets all of it. Guests get no more than their share. */
  async run<T>(work: () => Promise<T>, user: string | Guest = '', weight = 1): Promise<T> {
    const isGuest = user instanceof Guest;
    if (isGuest && weight > this.forGuests) throw new TooMuchForGuests();
    const key = isGuest ? `guest ${user.key}` : user;
    const own = Math.min(weight, this.room, this.perKey);
    await this.take(isGuest ? this.guestsWaiting : this.waiting, key, own);
    try {
      return await work();
    } finally {
      if (isGuest) this.usedByGuests -= own;
      this.giveBack(key, own);
    }
  }

  /** How much work waits, of one key or of all but guests. */
  waitingOf(key?: string): number {
    const queues = key === undefined ? [...this.waiting.values()] : [this.waiting.get(key) ?? []];
    return queues.reduce((sum, { length }) => sum + length, 0);
  }

  /** New work waits behind older work of the same key, if only for this moment. */
  private take(queues: Queues, key: string, weight: number): Promise<void> {
    return new Promise<void>((begin) => {
      const queue = queues.get(key) ?? [];
      queue.push({ weight, begin });
      queues.set(key, queue);
      this.beginWhatFits();
    });
  }

  private use(key: string, weight: number): void {
    this.free -= weight;
    this.used.set(key, (this.used.get(key) ?? 0) + weight);
  }

  private giveBack(key: string, weight: number): void {
    this.free += weight;
    const left = this.used.get(key)! - weight;
    if (left > 0) this.used.set(key, left);
    else this.used.delete(key);
    this.beginWhatFits();
  }

  private beginWhatFits(): void {
    if (!this.beginOf(this.waiting, () => this.free)) return;
    const share = (): number => Math.min(this.free, this.forGuests - this.usedByGuests);
    this.beginOf(this.guestsWaiting, share, (weight) => (this.usedByGuests += weight));
  }

  /** In turn. A key that has all it may have is passed over. False when work waits for room. */
  private beginOf(queues: Queues, room: () => number, begun?: (weight: number) => void): boolean {
    for (const [key, queue] of queues) {
      const next = queue[0]!;
      if ((this.used.get(key) ?? 0) + next.weight > this.perKey) continue;
      if (next.weight > room()) return false;
      queue.shift();
      queues.delete(key);
      if (queue.length > 0) queues.set(key, queue); // Behind the others.
      this.use(key, next.weight);
      begun?.(next.weight);
      next.begin();
    }
    return true;
  }
}
