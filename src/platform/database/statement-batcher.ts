import { within } from '#kernel/deadline';
import { DatabaseUnavailable } from './database.errors';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The time for which the queue waits for one statement. After that it starts the next one, because the connection may
 * be lost.
 */
const PATIENCE_MS = 50;

/**
 * Makes several batchers write one after the other. Items that arrive meanwhile share the next statement. A statement
 * costs far more than its items, so fewer and larger statements are faster.
 */
export class SerialQueue {
  private readonly line: (() => Promise<void>)[] = [];
  private isTaken = false;

  take(work: () => Promise<void>): void {
    this.line.push(work);
    // A failed batch rejects the promises of its callers, so this promise never rejects.
    if (!this.isTaken) this.run().catch(() => undefined);
  }

  private async run(): Promise<void> {
    this.isTaken = true;
    for (let work = this.line.shift(); work !== undefined; work = this.line.shift()) {
      await within(PATIENCE_MS, work(), () => undefined).catch(() => undefined);
    }
    this.isTaken = false;
  }
}

export interface StatementBatcherOptions<Item, Result> {
  /** Writes many items in one statement. If the result of an item is undefined, the batcher tries that item alone. */
  readonly batch: (items: readonly Item[]) => Promise<readonly (Result | undefined)[]>;
  /** Writes one item. The default is `batch`. */
  readonly alone?: (item: Item) => Promise<Result>;
  readonly sizeMax?: number;
  /** The queue that several batchers share; none by default. */
  readonly queue?: SerialQueue;
}

/**
 * Combines items into one statement with one commit and one row lock. The items are those that arrive in one turn of
 * the event loop, or while a statement is in flight. There is no timer, so a single caller waits for nobody. After a
 * failed batch, it tries the items one by one in order of arrival, so one bad item can't fail the others.
 */
export class StatementBatcher<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private isDue = false;
  private readonly sizeMax: number;
  private readonly queue: SerialQueue;

  constructor(private readonly options: StatementBatcherOptions<Item, Result>) {
    this.sizeMax = options.sizeMax ?? 256;
    this.queue = options.queue ?? new SerialQueue();
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.askForTurn();
    });
  }

  private askForTurn(): void {
    if (this.isDue) return;
    this.isDue = true;
    // `setImmediate` waits until Node has read all input of this turn of the event loop.
    setImmediate(() => this.queue.take(() => this.writeNext()));
  }

  private async writeNext(): Promise<void> {
    await this.write(this.waiting.splice(0, this.sizeMax));
    this.isDue = false;
    if (this.waiting.length > 0) this.askForTurn();
  }

  private async write(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const [first] = batch;
    if (batch.length === 1 && first !== undefined) return this.writeAlone(first);
    let results: readonly (Result | undefined)[];
    try {
      results = await this.options.batch(batch.map(({ item }) => item));
    } catch (error) {
      if (error instanceof DatabaseUnavailable) {
        // The batch may have been committed, so a retry could write twice.
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
    const { alone, batch } = this.options;
    try {
      resolve(alone === undefined ? ((await batch([item]))[0] as Result) : await alone(item));
    } catch (error) {
      reject(error);
    }
  }
}
