import { DatabaseUnavailable } from './database.errors';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface CoalescerOptions<Item, Result> {
  /** Writes many in one statement. An undefined result means "not in this batch": that item is tried alone. */
  readonly batch: (items: readonly Item[]) => Promise<readonly (Result | undefined)[]>;
  readonly alone: (item: Item) => Promise<Result>;
  readonly sizeMax?: number;
  /** Statements in flight at once. One is best where commits are fast; a slow disk wants two to four. */
  readonly lanes?: number;
}

/**
 * What arrives in one turn of the event loop, or while a statement is in flight, becomes one statement: one commit and
 * one row lock serve all of it, and a lone caller waits for nobody, because there is no timer. A batch that fails is tried
 * one by one in the order of arrival, so that one bad item can't spoil the others.
 */
export class Coalescer<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private inFlight = 0;
  private isPumpDue = false;
  private readonly sizeMax: number;
  private readonly lanes: number;

  constructor(private readonly options: CoalescerOptions<Item, Result>) {
    this.sizeMax = options.sizeMax ?? 256;
    this.lanes = options.lanes ?? 1;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.inFlight < this.lanes) this.pumpSoon();
    });
  }

  /** After what else has arrived in this turn was read. */
  private pumpSoon(): void {
    if (this.isPumpDue) return;
    this.isPumpDue = true;
    setImmediate(() => {
      this.isPumpDue = false;
      this.pump();
    });
  }

  private pump(): void {
    while (this.inFlight < this.lanes && this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.sizeMax);
      this.inFlight += 1;
      void this.write(batch).finally(() => {
        this.inFlight -= 1;
        this.pump();
      });
    }
  }

  private async write(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const [first] = batch;
    if (batch.length === 1 && first !== undefined) {
      return this.writeAlone(first);
    }
    let results: readonly (Result | undefined)[];
    try {
      results = await this.options.batch(batch.map(({ item }) => item));
    } catch (error) {
      if (error instanceof DatabaseUnavailable) {
        // Nobody knows whether it was committed: trying again could do it twice.
        for (const { reject } of batch) reject(error);
        return;
      }
      results = [];
    }
    for (const [index, waiting] of batch.entries()) {
      const result = results[index];
      if (result === undefined) {
        await this.writeAlone(waiting);
      } else {
        waiting.resolve(result);
      }
    }
  }

  private async writeAlone({ item, resolve, reject }: Waiting<Item, Result>): Promise<void> {
    try {
      resolve(await this.options.alone(item));
    } catch (error) {
      reject(error);
    }
  }
}
