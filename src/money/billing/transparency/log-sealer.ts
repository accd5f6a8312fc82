import { Injectable, Logger } from '@nestjs/common';

import { SigningKeys } from '#platform/config/signing-keys';
import type { Queries } from '#platform/database/database';
import { creditsAccount, walletAccount } from '../ledger/account-id';
import type { WalletAddress } from '#kernel/wallet-address';
import { NO_SALT, commitmentOf, restartText, textOf } from './log-entry';
import { growTiles, leafHash } from './merkle-tree';
import type { TransparencyLog } from './transparency-log.entity';
import { type Fact, type NewLeaf, type OwnerHead, TransparencyRepository } from './transparency.repository';

/** The number of leaves in one transaction. */
const BATCH = 2_000;
const STATEMENT_MS = 30_000;

const SALTS = 'transparency salts';

/** The changes of a log in one transaction. */
interface Step {
  readonly facts: readonly Fact[];
  readonly next: Pick<TransparencyLog, 'since' | 'accountCursor' | 'chargeCursor' | 'isCaughtUp'>;
}

const accountOf = (owner: string): string =>
  owner.startsWith('0x') ? walletAccount(owner as WalletAddress) : creditsAccount(owner);

/**
 * Makes leaves of committed rows. Each batch is one transaction that locks the row of the log, so one process seals at
 * a time. A process that dies during a batch has sealed nothing.
 */
@Injectable()
export class LogSealer {
  private readonly logger = new Logger(LogSealer.name);

  constructor(
    private readonly log: TransparencyRepository,
    private readonly keys: SigningKeys,
  ) {}

  /** Seals one batch. Returns whether there may be more to seal; false if another process seals. */
  seal(): Promise<boolean> {
    return this.log.db.transaction(async (queries) => {
      const log = await this.log.lock(queries);
      if (log === undefined) return false;
      await queries.rows(`set local statement_timeout = ${STATEMENT_MS}`);
      if (await this.log.isAstray(queries, log)) return true;
      const { facts, next } = await this.step(queries, log);
      const leaves = [...this.firstOf(log), ...(await this.leavesOf(queries, log, facts))];
      if (leaves.length > 0) {
        const hashes = leaves.map(({ leaf }) => leaf);
        const growth = await growTiles(this.log.readTiles(log.id, queries), log.size, hashes);
        await this.log.append(queries, log, leaves, growth);
      }
      await this.log.advance(queries, log.id, { ...next, size: log.size + leaves.length });
      return !log.isCaughtUp || facts.length === BATCH;
    });
  }

  /** Seals the history first, account by account, then charge by charge. After that it seals new rows. */
  private async step(queries: Queries, log: TransparencyLog): Promise<Step> {
    const { since, accountCursor, chargeCursor, isCaughtUp } = log;
    const next = { since, accountCursor, chargeCursor, isCaughtUp };
    if (isCaughtUp) {
      const fresh = await this.log.newFacts(queries, log, BATCH);
      return { facts: fresh.facts, next: { ...next, since: fresh.since } };
    }
    const entries = await this.log.oldEntries(queries, log, BATCH);
    if (entries.cursor !== undefined)
      return { facts: entries.facts, next: { ...next, accountCursor: entries.cursor } };
    const ends = await this.log.oldEnds(queries, log, BATCH);
    return {
      facts: ends.facts,
      next:
        ends.cursor === undefined ? { ...next, isCaughtUp: true } : { ...next, chargeCursor: ends.cursor },
    };
  }

  /**
   * The first leaf of a log that follows another log names the last checkpoint of the other log. This leaf is public.
   */
  private firstOf({ size, follows, id }: TransparencyLog): NewLeaf[] {
    if (size > 0 || follows === undefined) return [];
    const commitment = commitmentOf(NO_SALT, restartText(follows));
    return [
      {
        entryId: `restart/${id}`,
        owner: '',
        sequence: 0n,
        balanceMicro: 0,
        at: new Date(),
        salt: NO_SALT,
        commitment,
        leaf: leafHash(commitment),
      },
    ];
  }

  private async leavesOf(
    queries: Queries,
    { id }: TransparencyLog,
    facts: readonly Fact[],
  ): Promise<NewLeaf[]> {
    const heads = await this.log.heads(queries, id, [...new Set(facts.map(({ owner }) => owner))]);
    const ordered = await this.inOrder(queries, facts, heads);
    return ordered.map((fact) => {
      const head = heads.get(fact.owner);
      const sequence = fact.sequence ?? head?.sequence ?? 0n;
      const balanceMicro = fact.balanceMicro ?? head?.balanceMicro ?? 0;
      const { entryId, owner, kind, amountMicro, at } = fact;
      const salt = this.keys.sign(SALTS, entryId);
      const previous = head === undefined ? '' : head.leaf.toString('base64');
      const entry = { id: entryId, owner, kind, amountMicro, balanceMicro, previous, at: at.toISOString() };
      const commitment = commitmentOf(salt, textOf(entry));
      const leaf = leafHash(commitment);
      heads.set(owner, { sequence, balanceMicro, leaf });
      return { entryId, owner, sequence, balanceMicro, at, salt, commitment, leaf };
    });
  }

  /**
   * The facts, with the entries of each account in the order of their sequence. Two transactions of one account can get
   * their numbers in a different order than their entries.
   */
  private async inOrder(
    queries: Queries,
    facts: readonly Fact[],
    heads: ReadonlyMap<string, OwnerHead>,
  ): Promise<Fact[]> {
    const entries = new Map<string, Map<bigint, Fact>>();
    for (const fact of facts) {
      if (fact.sequence === undefined) continue;
      const own = entries.get(fact.owner) ?? new Map<bigint, Fact>();
      entries.set(fact.owner, own.set(fact.sequence, fact));
    }
    for (const [owner, own] of entries)
      await this.fillGaps(queries, owner, own, heads.get(owner)?.sequence ?? 0n);
    const reached = new Map([...heads].map(([owner, { sequence }]) => [owner, sequence]));
    const ordered: Fact[] = [];
    for (const fact of facts) {
      if (fact.sequence === undefined) {
        ordered.push(fact);
        continue;
      }
      const own = entries.get(fact.owner)!;
      let at = (reached.get(fact.owner) ?? 0n) + 1n;
      for (let entry = own.get(at); entry !== undefined && at <= fact.sequence; entry = own.get(at)) {
        ordered.push(entry);
        reached.set(fact.owner, at);
        at += 1n;
      }
    }
    return ordered;
  }

  private async fillGaps(
    queries: Queries,
    owner: string,
    own: Map<bigint, Fact>,
    sealed: bigint,
  ): Promise<void> {
    const sequences = [...own.keys()].sort((a, b) => (a < b ? -1 : 1));
    let before = sealed;
    for (const sequence of sequences) {
      if (sequence > before + 1n) {
        const missing = await this.log.entriesBetween(queries, accountOf(owner), before, sequence);
        for (const fact of missing) own.set(fact.sequence!, fact);
        if (BigInt(missing.length) !== sequence - before - 1n)
          this.logger.error(
            { owner, sequence: sequence.toString() },
            'Entries before this one are not in the ledger.',
          );
      }
      before = sequence > before ? sequence : before;
    }
  }
}
