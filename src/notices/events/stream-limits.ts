import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';

import { newId } from '#kernel/ids';
import { Slots } from '#kernel/slots';
import type { BackgroundTask } from '#platform/background/background-task';
import { BackgroundWork } from '#platform/background/background-work';
import { StatementBatcher } from '#platform/database/statement-batcher';
import { once } from '#platform/http/limits/rate-storage';
import { OpenStreamRepository } from './open-stream.repository';
import { TooManyStreams } from './events.errors';

/** Below 15 minutes, with jitter, so that streams do not reconnect at the same time. */
export const STREAM_LIFE_MS = 13.5 * 60_000;
export const STREAM_JITTER_MS = 60_000;
/** The longest wait of a long poll. */
export const LONG_POLL_SECONDS_MAX = 60;
/** The time within which streams of an ended key or session end. */
export const PROVE_EVERY_MS = 3_000;

/** The most concurrent streams and long polls. */
export const STREAMS = { perOwner: 20, perAddress: 200, ofDelegated: 10, perDelegatedKey: 5 } as const;

const REPORT_EVERY_MS = 20_000;

/**
 * The counted names: an address, and the owner if there is one. For a delegated key also that key, and all such keys of
 * its owner.
 */
type CountedNames = readonly string[];

/** The limits by the first word of a counted name, with the words for the answer. */
const COUNTED: Readonly<Record<string, { readonly max: number; readonly words: string }>> = {
  address: { max: STREAMS.perAddress, words: 'from one address' },
  owner: { max: STREAMS.perOwner, words: 'for one owner' },
  delegated: { max: STREAMS.ofDelegated, words: 'for all delegated keys of one owner' },
  key: { max: STREAMS.perDelegatedKey, words: 'for one delegated key' },
};

const countedAs = (one: string): (typeof COUNTED)[string] => COUNTED[one.slice(0, one.indexOf(' '))]!;
const maxOf = (one: string): number => countedAs(one).max;

const countedNamesOf = (
  address: string,
  owner: string | undefined,
  onlyKey: string | undefined,
): CountedNames => [
  `address ${address}`,
  ...(owner === undefined ? [] : [`owner ${owner}`]),
  ...(onlyKey === undefined ? [] : [`delegated ${owner}`, `key ${onlyKey}`]),
];

/**
 * Limits open streams and long polls, by owner and by address, over all processes. Each process writes its counts to
 * the database at each opening and soon after each closing. It repeats them regularly, so that the counts of dead
 * processes expire.
 */
@Injectable()
export class StreamLimits implements OnModuleInit, OnApplicationShutdown {
  private readonly me = newId('prc');
  private readonly open = new Map<string, number>();
  /** Names whose reported count differs from the present one. */
  private readonly unreported = new Set<string>();
  /** Statements run one after the other, so that the last report is the true one. */
  private readonly statements = new Slots(1);
  private readonly reporting: BackgroundTask;
  private readonly reportingAll: BackgroundTask;

  private readonly takes: StatementBatcher<CountedNames, CountedNames>;

  constructor(
    private readonly rows: OpenStreamRepository,
    background: BackgroundWork,
  ) {
    this.reporting = background.task('Counting open streams', () => this.statements.run(() => this.record()));
    this.reportingAll = background.task('Counting all open streams', () => this.reportAll(), {
      everyMs: REPORT_EVERY_MS,
    });
    this.takes = new StatementBatcher({
      batch: (takes) => this.statements.run(() => this.takeAll(takes)),
    });
  }

  onModuleInit(): void {
    this.reportingAll.wake(REPORT_EVERY_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.reporting.stop(), this.reportingAll.stop()]);
    await this.statements.run(() => Promise.resolve());
  }

  /**
   * Takes a slot until the returned function is called; throws if none is free. A caller with only an id has no owner.
   */
  async take(address: string, owner?: string, onlyKey?: string): Promise<() => void> {
    const whose = countedNamesOf(address, owner, onlyKey);
    const [full] = await this.takes.add(whose);
    if (full !== undefined) throw new TooManyStreams(maxOf(full), countedAs(full).words);
    return once(() => this.leave(whose));
  }

  /** The exceeded limits, for each of the concurrent requests. An empty result means that the request has its slots. */
  private async takeAll(takes: readonly CountedNames[]): Promise<readonly CountedNames[]> {
    const all = [...new Set(takes.flat())];
    try {
      const fulls = await this.rows.take(this.me, all, (elsewhere) => {
        const held = new Map(all.map((one) => [one, this.countOf(one)]));
        const result = takes.map((whose) => {
          const full = whose.filter((one) => held.get(one)! + (elsewhere.get(one) ?? 0) >= maxOf(one));
          for (const one of full.length === 0 ? whose : []) held.set(one, held.get(one)! + 1);
          return full;
        });
        return { held: new Map([...held].filter(([, open]) => open > 0)), result };
      });
      for (const [index, whose] of takes.entries()) {
        for (const one of fulls[index]!.length === 0 ? whose : []) this.open.set(one, this.countOf(one) + 1);
      }
      return fulls;
    } catch (error) {
      // The report may have been stored despite the error.
      for (const one of all) this.unreported.add(one);
      throw error;
    }
  }

  private countOf(whose: string): number {
    return this.open.get(whose) ?? 0;
  }

  private leave(whose: readonly string[]): void {
    for (const one of whose) {
      const left = this.countOf(one) - 1;
      if (left > 0) this.open.set(one, left);
      else this.open.delete(one);
      this.unreported.add(one);
    }
    this.reporting.wake();
  }

  private async reportAll(): Promise<void> {
    for (const one of this.open.keys()) this.unreported.add(one);
    await this.statements.run(async () => {
      await this.record();
      await this.rows.forgetDead();
    });
  }

  /** A failed report is repeated together with the others. */
  private async record(): Promise<void> {
    const reported = [...this.unreported];
    this.unreported.clear();
    try {
      await this.rows.record(this.me, new Map(reported.map((one) => [one, this.countOf(one)])));
    } catch (error) {
      for (const one of reported) this.unreported.add(one);
      throw error;
    }
  }
}
