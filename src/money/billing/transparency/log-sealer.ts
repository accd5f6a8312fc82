import { Injectable, Logger } from '@nestjs/common';

import { SigningKeys } from '#platform/config/signing-keys';
import type { Queries } from '#platform/database/database';
import { growTiles } from './merkle-tree';
import type { TransparencyLog } from './transparency-log.entity';
import { TransparencyRepository } from './transparency.repository';

/** The number of facts in one transaction. */
const BATCH = 1_000;

const SALTS = 'transparency salts';

/** The end of a batch: there may be more to seal, there is not, or another process seals. */
export type Sealed = 'more' | 'done' | 'busy';

/** One batch of a log: its leaves, and the new place of the log. */
interface Step {
  readonly leaves: readonly Buffer[];
  readonly stuck: readonly string[];
  readonly isFull: boolean;
  readonly next: Pick<TransparencyLog, 'since' | 'accountCursor' | 'chargeCursor' | 'isCaughtUp'>;
}

/**
 * Makes leaves of committed rows. Postgres reads the rows, hashes them and stores the leaves in one statement, so a
 * process that serves callers only hashes the inner nodes. Each batch is one transaction that locks the row of the log,
 * so one process seals at a time. A process that dies during a batch has sealed nothing.
 */
@Injectable()
export class LogSealer {
  private readonly logger = new Logger(LogSealer.name);

  constructor(
    private readonly log: TransparencyRepository,
    private readonly keys: SigningKeys,
  ) {}

  seal(): Promise<Sealed> {
    return this.log.db.longTransaction(30, async (queries) => {
      const log = await this.log.lock(queries);
      if (log === undefined) return 'busy';
      if (await this.log.isAstray(queries, log)) return 'more';
      if (isRestart(log)) {
        await this.grow(queries, log, [await this.log.appendRestart(queries, log)], log);
        return 'more';
      }
      const { leaves, stuck, isFull, next } = await this.step(queries, log);
      if (stuck.length > 0)
        this.logger.error({ entries: stuck }, 'Entries before these entries are not in the ledger.');
      await this.grow(queries, log, leaves, next);
      return !log.isCaughtUp || isFull ? 'more' : 'done';
    });
  }

  /** Seals the history first, account by account, then charge by charge. After that it seals new rows. */
  private async step(queries: Queries, log: TransparencyLog): Promise<Step> {
    const { since, accountCursor, chargeCursor } = log;
    const next = { since, accountCursor, chargeCursor, isCaughtUp: log.isCaughtUp };
    // A salt is derived from the secret by the place of its batch, and in Postgres by the id of its entry.
    const saltKey = this.keys.sign(SALTS, `${log.id}/${log.size}`);
    if (log.isCaughtUp) {
      const fresh = await this.log.sealNew(queries, log, saltKey, BATCH);
      return { ...fresh, isFull: fresh.facts === BATCH, next: { ...next, since: fresh.since } };
    }
    const entries = await this.log.sealOldEntries(queries, log, saltKey, BATCH);
    if (entries.cursor !== undefined)
      return { ...entries, isFull: true, next: { ...next, accountCursor: entries.cursor } };
    const ends = await this.log.sealOldEnds(queries, log, saltKey, BATCH);
    // Charges that begin meanwhile end after `since`, so the log does not wait for a moment without them.
    const isCaughtUp = ends.facts < BATCH;
    return {
      ...ends,
      isFull: true,
      next: { ...next, isCaughtUp, chargeCursor: ends.cursor ?? chargeCursor },
    };
  }

  private async grow(
    queries: Queries,
    log: TransparencyLog,
    leaves: readonly Buffer[],
    next: Step['next'],
  ): Promise<void> {
    if (leaves.length > 0) {
      const growth = await growTiles(this.log.readTiles(log.id, queries), log.size, leaves);
      await this.log.growTiles(queries, log, growth);
    }
    await this.log.advance(queries, log.id, { ...next, size: log.size + leaves.length });
  }
}

/** Whether the first leaf of this log names the last checkpoint of another log. */
const isRestart = (log: TransparencyLog): log is TransparencyLog & { readonly follows: string } =>
  log.size === 0 && log.follows !== undefined;
