import { microOf } from './amounts.ts';
import { Book, type Entry, type Journal } from './budget-journal.ts';
import { platformFiles } from './platform-files.ts';

/** The entry of a line; undefined if the line is incomplete, because a process died while it wrote the line. */
const entryIn = (line: string): Entry | undefined => {
  let entry: Entry;
  try {
    entry = JSON.parse(line) as Entry;
  } catch {
    return undefined;
  }
  const { type, id, micro } = { id: '', micro: 0, ...entry };
  const isEntry = /^(reserve|confirm|release|spend|refund)$/.test(type) && typeof id === 'string';
  if (!isEntry || microOf(micro) === undefined)
    throw new TypeError(`The file of the budget holds a line that is none of a budget: ${line.slice(0, 80)}`);
  return entry;
};

/**
 * A history in a file, for programs that run repeatedly and for several programs at once. Each entry is one appended
 * line. Every reader computes the same sums in the order of the lines, so processes share a limit without a lock.
 */
export class FileJournal implements Journal {
  private readonly book = new Book();
  private offset = 0;
  /** Reads in one process run one after the other, so that no line counts twice. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly path: string) {}

  add(entry: Entry): Promise<Book> {
    return this.inTurn(async () => {
      const { open } = await platformFiles();
      const file = await open(this.path, 'a', 0o600);
      try {
        // A line break comes first, because the last line may be incomplete.
        await file.write(`\n${JSON.stringify(entry)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      return this.readNew();
    });
  }

  read(): Promise<Book> {
    return this.inTurn(() => this.readNew());
  }

  private async readNew(): Promise<Book> {
    const { open } = await platformFiles();
    const file = await open(this.path, 'a+', 0o600);
    try {
      const { size } = await file.stat();
      const bytes = new Uint8Array(Math.max(0, size - this.offset));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, this.offset);
      const whole = bytes.lastIndexOf(0x0a, bytesRead - 1) + 1;
      for (const line of new TextDecoder().decode(bytes.subarray(0, whole)).split('\n')) {
        const entry = line === '' ? undefined : entryIn(line);
        if (entry !== undefined) this.book.apply(entry);
      }
      this.offset += whole;
    } finally {
      await file.close();
    }
    return this.book;
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => undefined);
    return done;
  }
}
