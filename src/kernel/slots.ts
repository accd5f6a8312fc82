const CHECK_EVERY_MS = 500;

interface Waiting {
  readonly key: string;
  readonly weight: number;
  readonly begin: () => void;
  readonly mayExceed?: () => boolean;
}

/** Waiting work, in the order in which it gets the next slot: the lists of the keys, or a list for each work. */
type Queues = Map<string | symbol, Waiting[]>;

interface WaitOptions {
  readonly msMax: number;
  /** The error for work that has waited for so long. */
  readonly busy: () => Error;
  /** Is called when work begins to wait, and again and again while work waits. It may give room back. */
  readonly whileWaiting: () => void;
}

export interface SlotOptions {
  /**
   * The share of the room that one key may have; all of it if absent. `free` means the room that is still free. A
   * single key then gets half of the room and the next one a quarter, so a further key always gets some.
   */
  readonly perKey?: number | 'free';
  /** The share of the room for all guests together; all of it if absent. */
  readonly forGuests?: number;
  /** `arrival` begins all waiting work that fits, the oldest first; `turns` serves the keys round-robin. */
  readonly order?: 'turns' | 'arrival';
  /** The limit of the wait; none if absent. */
  readonly wait?: WaitOptions;
}

/** The key of a caller who has not proven to have money. */
export class Guest {
  constructor(readonly key: string) {}
}

/** A guest's work weighs more than the share of all guests together, so it could never begin. */
export class TooMuchForGuests extends Error {}

/**
 * Limits concurrent work by weight. Waiting work begins round-robin by key, and a key without a slot gets one before
 * another key gets a second one. So a key with a thousand items delays the first item of another key by only one item.
 * Work that waits for room holds up the work behind it. Work of guests begins only while no other work waits for room.
 */
export class Slots {
  private readonly used = new Map<string, number>();
  private readonly waiting: Queues = new Map();
  private readonly guestsWaiting: Queues = new Map();
  private usedByAll = 0;
  private usedByGuests = 0;
  private nextCheck: NodeJS.Timeout | undefined;

  constructor(
    readonly room: number,
    private readonly options: SlotOptions = {},
  ) {}

  get free(): number {
    return this.room - this.usedByAll;
  }

  /** Keys that get no further slot until one is free again. */
  fullKeys(): string[] {
    return [...this.used].filter(([, used]) => used >= this.perKey).map(([key]) => key);
  }

  /** The number of waiting works of one key, or of all keys. It does not count guests. */
  waitingOf(key?: string): number {
    const queues = key === undefined ? [...this.waiting.values()] : [this.waiting.get(key) ?? []];
    return queues.reduce((sum, { length }) => sum + length, 0);
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
    await this.join(isGuest ? this.guestsWaiting : this.waiting, key, own);
    try {
      return await work();
    } finally {
      if (isGuest) this.usedByGuests -= own;
      this.giveBack(key, own);
    }
  }

  /** Takes room if no work waits and there is enough; `giveBack` must follow. */
  enter(key: string, weight = 1): boolean {
    const used = this.used.get(key) ?? 0;
    if (this.waiting.size > 0 || used + weight > this.perKey || weight > this.free) return false;
    this.use(key, weight);
    return true;
  }

  /** Waits for room, and takes it. Work for which `mayExceed` returns true takes what it needs without waiting. */
  wait(key: string, weight = 1, mayExceed?: () => boolean): Promise<void> {
    return this.join(this.waiting, key, weight, mayExceed);
  }

  /** Takes room, even if there is too little of it. */
  use(key: string, weight = 1): void {
    this.usedByAll += weight;
    if (weight > 0) this.used.set(key, (this.used.get(key) ?? 0) + weight);
  }

  giveBack(key: string, weight = 1): void {
    this.usedByAll -= weight;
    const left = (this.used.get(key) ?? 0) - weight;
    if (left > 0) this.used.set(key, left);
    else this.used.delete(key);
    this.beginWhatFits();
  }

  /** Must be called when something else than returned room may let waiting work begin. */
  beginWhatFits(): void {
    for (const queues of [this.waiting, this.guestsWaiting]) {
      for (const usedMax of this.inTurns ? [0, Infinity] : [Infinity]) {
        if (!this.beginOf(queues, usedMax)) return;
      }
    }
  }

  private get inTurns(): boolean {
    return this.options.order !== 'arrival';
  }

  private get perKey(): number {
    const { perKey = this.room } = this.options;
    return perKey === 'free' ? this.free : perKey;
  }

  private get forGuests(): number {
    return this.options.forGuests ?? this.room;
  }

  /** New work waits after older work of the same key. */
  private join(queues: Queues, key: string, weight: number, mayExceed?: () => boolean): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const { wait } = this.options;
      const name = this.inTurns ? key : Symbol(key);
      const queue = queues.get(name) ?? [];
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const waiting = { key, weight, begin, mayExceed };
      const timer =
        wait &&
        setTimeout(() => {
          queue.splice(queue.indexOf(waiting), 1);
          if (queue.length === 0) queues.delete(name);
          reject(wait.busy());
          this.beginWhatFits();
        }, wait.msMax);
      queue.push(waiting);
      queues.set(name, queue);
      wait?.whileWaiting();
      this.beginWhatFits();
      this.checkAgain();
    });
  }

  private checkAgain(): void {
    const { wait } = this.options;
    if (wait === undefined) return;
    this.nextCheck ??= setTimeout(() => {
      this.nextCheck = undefined;
      if (this.waiting.size === 0) return;
      wait.whileWaiting();
      this.beginWhatFits();
      this.checkAgain();
    }, CHECK_EVERY_MS).unref();
  }

  /** Begins waiting work of keys that use at most `usedMax`. Returns false if work still waits for room. */
  private beginOf(queues: Queues, usedMax: number): boolean {
    const areGuests = queues === this.guestsWaiting;
    for (const [name, queue] of queues) {
      const next = queue[0]!;
      const used = this.used.get(next.key) ?? 0;
      if (used > usedMax) continue;
      const room = areGuests ? Math.min(this.free, this.forGuests - this.usedByGuests) : this.free;
      const isInShare = used + next.weight <= this.perKey;
      if (!(isInShare && next.weight <= room) && next.mayExceed?.() !== true) {
        if (isInShare && this.inTurns) return false;
        continue;
      }
      queue.shift();
      queues.delete(name);
      if (queue.length > 0) queues.set(name, queue); // The key moves behind the others.
      this.use(next.key, next.weight);
      if (areGuests) this.usedByGuests += next.weight;
      next.begin();
    }
    return true;
  }
}
