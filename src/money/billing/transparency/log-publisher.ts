import { randomBytes } from 'node:crypto';

import { Injectable, Logger } from '@nestjs/common';

import { PublishedKeys } from '#platform/config/published-keys';
import { LOG_KEYS, originOf } from './log-origin';
import { IncompleteTile, rootOf } from './merkle-tree';
import { type SignedHead, SignedHeads } from './kept-heads';
import { checkpointText, noteText, signNote } from '#platform/signatures/signed-note';
import type { TransparencyLog } from './transparency-log.entity';
import { TransparencyRepository } from './transparency.repository';

/**
 * The time limit of the blob store, long enough for a slow bucket. The transaction holds its connection and the lock of
 * the log meanwhile.
 */
const STORE_MS = 60_000;

/** The result of a comparison of a log with its signed head. */
export type Published =
  | { readonly outcome: 'published' | 'unchanged' | 'busy' }
  | { readonly outcome: 'behind'; readonly log: number; readonly head: SignedHead };

/** Signs checkpoints, each only if it extends the last signed checkpoint. */
@Injectable()
export class LogPublisher {
  private readonly logger = new Logger(LogPublisher.name);

  constructor(
    private readonly log: TransparencyRepository,
    private readonly heads: SignedHeads,
    private readonly keys: PublishedKeys,
  ) {}

  /** Begins the first log of a database. Its number follows the logs of earlier databases. */
  async begin(): Promise<void> {
    const before = await this.heads.newest();
    const head = before && (await this.heads.ofDeployment(before.mark));
    const mark = randomBytes(12).toString('hex');
    await this.beginAs({ id: (before?.log ?? 0) + 1, mark, follows: head?.note }, undefined);
  }

  /**
   * Begins a new log, because the database does not continue the signed head. The first leaf of the new log names the
   * last checkpoint.
   */
  async beginBehind(log: number, head: SignedHead): Promise<void> {
    const id = Math.max(head.log, (await this.heads.newest())?.log ?? 0) + 1;
    this.logger.warn(
      `The database does not continue the last signed checkpoint: it was restored to an earlier time, or changed. ` +
        `A new transparency log begins as ${originOf(this.heads.host, id)}.`,
    );
    await this.beginAs({ id, mark: head.mark, follows: head.note }, log);
  }

  private async beginAs(
    log: Pick<TransparencyLog, 'id' | 'mark' | 'follows'>,
    after: number | undefined,
  ): Promise<void> {
    await this.log.begin({ ...log, origin: originOf(this.heads.host, log.id) }, after);
  }

  /**
   * Signs the log if it has grown. With `comparesAnyway`, it also compares a log that has not grown with the signed
   * head.
   */
  publish(comparesAnyway: boolean): Promise<Published> {
    return this.log.db.transaction(async (queries): Promise<Published> => {
      await queries.rows(`set local idle_in_transaction_session_timeout = ${STORE_MS}`);
      const log = await this.log.lock(queries);
      if (log === undefined) return { outcome: 'busy' };
      const hasGrown = log.size !== log.publishedSize;
      if (!hasGrown && !comparesAnyway) return { outcome: 'unchanged' };
      const read = this.log.readTiles(log.id, queries);
      const head = await this.heads.ofDeployment(log.mark);
      if (head !== undefined && !(await continues(log, head, (size) => rootOf(read, size))))
        return { outcome: 'behind', log: log.id, head };
      if (!hasGrown) return { outcome: 'unchanged' };
      const text = checkpointText(log.origin, log.size, await rootOf(read, log.size));
      const note = signNote(text, log.origin, this.keys.of(LOG_KEYS));
      if (log.note === undefined) await this.heads.claim({ mark: log.mark, log: log.id });
      await this.heads.keep({ log: log.id, mark: log.mark, size: log.size, note });
      await this.log.publish(queries, log.id, log.size, note);
      return { outcome: 'published' };
    });
  }

  /** The signed head, if the database does not continue that head. */
  async missing(log: TransparencyLog): Promise<SignedHead | undefined> {
    const head = await this.heads.ofDeployment(log.mark);
    const read = this.log.readTiles(log.id);
    return head === undefined || (await continues(log, head, (size) => rootOf(read, size)))
      ? undefined
      : head;
  }
}

/** Whether the tree of a log begins with the tree that was signed last. */
const continues = async (
  { id, origin, size }: TransparencyLog,
  head: SignedHead,
  rootAt: (size: number) => Promise<Buffer>,
): Promise<boolean> => {
  if (head.log < id) return true;
  if (head.log > id || head.size > size) return false;
  try {
    return noteText(head.note) === checkpointText(origin, head.size, await rootAt(head.size));
  } catch (error) {
    if (error instanceof IncompleteTile) return false;
    throw error;
  }
};
