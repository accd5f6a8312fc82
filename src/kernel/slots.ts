interface Waiting {
  readonly weight: number;
  readonly begin: () => void;
}

export interface SlotOptions {
  /** How much of the room one key may have; all of it when absent. */
  readonly perKey?: number;
}

/**
 * Lets so much run at once. Who waits is served in turn by key, whoever holds the key, so that one with a thousand
 * pieces of work delays a neighbour's first by one piece only.
 */
export class Slots {
  private readonly perKey: number;
  private readonly used = new Map<string, number>();
  /** The keys that wait, whose turn is next first. */
  private readonly waiting = new Map<string, Waiting[]>();
  private free: number;

  constructor(
    readonly room: number,
    { perKey = room }: SlotOptions = {},
  ) {
    this.free = room;
    this.perKey = perKey;
  }

  /** Work that weighs more than there is room for gets all of it. */
  async run<T>(work: () => Promise<T>, key = '', weight = 1): Promise<T> {
    const own = Math.min(weight, this.room, this.perKey);
    await this.take(key, own);
    try {
      return await work();
    } finally {
      this.giveBack(key, own);
    }
  }

  /** Whoever comes waits behind those of the same key, if only for this moment. */
  private take(key: string, weight: number): Promise<void> {
    return new Promise<void>((begin) => {
      const queue = this.waiting.get(key) ?? [];
      queue.push({ weight, begin });
      this.waiting.set(key, queue);
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

  /** In turn. A key that has all it may have is passed over; one that only lacks room is waited for. */
  private beginWhatFits(): void {
    for (const [key, queue] of this.waiting) {
      const next = queue[0]!;
      if ((this.used.get(key) ?? 0) + next.weight > this.perKey) continue;
      if (next.weight > this.free) return;
      queue.shift();
      this.waiting.delete(key);
      if (queue.length > 0) this.waiting.set(key, queue); // Behind the others.
      this.use(key, next.weight);
      next.begin();
    }
  }
}
