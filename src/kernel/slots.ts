interface Waiting {
  readonly weight: number;
  readonly begin: () => void;
}

/** Waiting work by key. The first key gets the next slot. */
type Queues = Map<string, Waiting[]>;

export interface SlotOptions {
  /** The share of the room that one key may have; all of it if absent. */
  readonly perKey?: number;
  /** The share of the room for all guests together; all of it if absent. */
  readonly forGuests?: number;
}

/** The key of a caller who has not proven to have money. */
export class Guest {
  constructor(readonly key: string) {}
}

/** A guest's work weighs more than the share of all guests together, so it could never begin. */
export class TooMuchForGuests extends Error {}

/**
 * Limits concurrent work by weight. Waiting work begins round-robin by key, so a key with a thousand items delays the
 * first item of another key by only one item. Work of guests begins only while no other work waits for room.
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

  /**
   * Work that weighs more than the whole room, or more than the share of its key, waits until all of that is free. It
   * throws for a guest's work that weighs more than the share of guests.
   */
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

  /** The number of waiting works of one key, or of all keys. It does not count guests. */
  waitingOf(key?: string): number {
    const queues = key === undefined ? [...this.waiting.values()] : [this.waiting.get(key) ?? []];
    return queues.reduce((sum, { length }) => sum + length, 0);
  }

  /** New work waits after older work of the same key. */
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

  /**
   * Begins waiting work, round-robin by key, and skips keys at their limit. Returns false if work still waits for room.
   */
  private beginOf(queues: Queues, room: () => number, begun?: (weight: number) => void): boolean {
    for (const [key, queue] of queues) {
      const next = queue[0]!;
      if ((this.used.get(key) ?? 0) + next.weight > this.perKey) continue;
      if (next.weight > room()) return false;
      queue.shift();
      queues.delete(key);
      if (queue.length > 0) queues.set(key, queue); // The key moves behind the others.
      this.use(key, next.weight);
      begun?.(next.weight);
      next.begin();
    }
    return true;
  }
}
