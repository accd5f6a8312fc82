import { setTimeout as pause } from 'node:timers/promises';

import { Logger } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import type { DataSource } from 'typeorm';

import { AccountFunds } from '#money/billing/ledger/account-funds';
import { LedgerEntriesRepository } from '#money/billing/ledger/ledger-entries.repository';
import { LedgerRepository } from '#money/billing/ledger/ledger.repository';
import { readSettings } from '../../src/settings';
import { createDataSource } from '#platform/database/data-source';
import { Database } from '#platform/database/database';
import { DatabaseUnavailable } from '#platform/database/database.errors';
import { expectBooksToBalance } from '../support/books';
import type { Answer, World } from '../support/world';
import { DEPLOYMENT, ServiceProcess } from './service-process';

type Env = Readonly<Record<string, string>>;

/** The sweeps end a charge within this time after the end of its lease. */
const TERMINAL_MS_MAX = 40_000;
const ANSWER_MS_MAX = 10_000;

/** Repeats each query until it is answered, because a fault may interrupt the database while a test reads it. */
class PatientDatabase extends Database {
  override async rows<Row extends QueryResultRow>(...query: Parameters<Database['rows']>): Promise<Row[]> {
    for (const until = Date.now() + ANSWER_MS_MAX; ; await pause(50)) {
      try {
        return await super.rows<Row>(...query);
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || Date.now() > until) throw error;
      }
    }
  }
}

/** Processes of the service on one database, and the test's own connection to that database. */
export class Deployment {
  private readonly starting: Promise<ServiceProcess>[];

  private constructor(
    readonly databaseUrl: string,
    private readonly envs: readonly Env[],
    private readonly source: DataSource,
    readonly db: Database,
  ) {
    this.starting = envs.map((env) => ServiceProcess.start(env));
  }

  /** Starts one process for each of `envs`. These settings override those that all processes share. */
  static async start(databaseUrl: string, envs: readonly Env[] = [{}, {}]): Promise<Deployment> {
    Logger.overrideLogger(false);
    const source = await createDataSource(databaseUrl).initialize();
    const settings = readSettings({ ...DEPLOYMENT, DATABASE_URL: databaseUrl });
    const db = new PatientDatabase(source, settings);
    const own = envs.map((env) => ({ DATABASE_URL: databaseUrl, ...env }));
    const deployment = new Deployment(databaseUrl, own, source, db);
    try {
      await Promise.all(deployment.starting);
      return deployment;
    } catch (error) {
      await deployment.stop();
      throw error;
    }
  }

  /** Kills a process in the middle of its work, and starts another one in its place. */
  async kill(place: number): Promise<void> {
    const victim = await this.starting[place];
    await victim?.kill();
    this.starting[place] = ServiceProcess.start(this.envs[place] ?? {});
    // The next request to this process reports that its start failed.
    this.starting[place].catch(() => undefined);
  }

  /** Sends SIGTERM and starts another process. The old one must finish its work and exit with 0. */
  async replace(place: number): Promise<void> {
    const old = await this.starting[place];
    this.starting[place] = ServiceProcess.start(this.envs[place] ?? {});
    this.starting[place].catch(() => undefined);
    const code = await old?.terminate();
    await old?.kill();
    if (code !== 0) throw new Error(`It was told to go and ended with ${code}: ${old?.said}`);
  }

  /** Starts one more process with the same settings. It leaves as soon as it is ready, or when `work` has ended. */
  async joinAndLeave(place: number, work?: () => Promise<void>): Promise<void> {
    const another = await ServiceProcess.start(this.envs[place] ?? {});
    try {
      await work?.();
      await another.terminate();
    } finally {
      await another.kill();
    }
  }

  /** Moves the clock of a process by its CLOCK_JUMP_MS. The next call moves it back. */
  async jumpClock(place: number): Promise<void> {
    (await this.starting[place])?.signal('SIGUSR2');
  }

  /** Suspends a process, as on a machine that swaps. The process does not notice it. */
  async pause(place: number): Promise<void> {
    (await this.starting[place])?.signal('SIGSTOP');
  }

  async resume(place: number): Promise<void> {
    (await this.starting[place])?.signal('SIGCONT');
  }

  async url(place: number): Promise<string> {
    return (await this.starting[place])?.url ?? '';
  }

  /** Throws if the process has ended. */
  async pid(place: number): Promise<number> {
    return (await this.starting[place])!.pid;
  }

  /** The lines of the log of a process. */
  async linesOf(place: number): Promise<readonly string[]> {
    return (await this.starting[place])!.said.split('\n');
  }

  /** The metrics of a process, on which operators base their alerts. */
  async metrics(place: number): Promise<string> {
    return (await fetch(`${await this.url(place)}/metrics`)).text();
  }

  /** Sends a call like a client. Rejects if the connection breaks, or if the client aborts. */
  async post(
    place: number,
    path: string,
    body: unknown,
    headers: Env = {},
    signal?: AbortSignal,
  ): Promise<Answer> {
    const response = await fetch(`${await this.url(place)}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: text === '' ? undefined : JSON.parse(text),
    };
  }

  /** The parts of a world that callers need to register, sign and receive money. */
  asWorld(): World {
    const settings = readSettings({ ...DEPLOYMENT, ...this.envs[0], DATABASE_URL: this.databaseUrl });
    return {
      settings,
      db: this.db,
      app: {
        get: (type: { readonly name: string }) => {
          if (type !== AccountFunds) throw new Error(`${type.name} is in another process.`);
          return new AccountFunds(new LedgerRepository(this.db), new LedgerEntriesRepository(this.db));
        },
      },
      post: (path: string, body: unknown, headers: Env) => this.post(0, path, body, headers),
    } as unknown as World;
  }

  /**
   * Ends the leases and postponed polls of dead processes now instead of up to a minute later: of all payers, or of
   * one.
   */
  async endLeases(payer?: string): Promise<void> {
    await this.db.rows(
      `update charge set lease_until = now() - interval '1 second'
       where lease_until is not null and ($1::text is null or payer = $1)`,
      [payer ?? null],
    );
    await this.db.rows(
      `update job j set poll_at = now() from charge c
       where c.id = j.charge_id and j.status = 'running' and j.poll_at > now() + interval '10 seconds'
         and ($1::text is null or c.payer = $1)`,
      [payer ?? null],
    );
  }

  /** Running jobs are polled as soon as possible, whichever process holds them. */
  async lookNow(): Promise<void> {
    await this.db.rows(`update job set poll_at = now() where status = 'running'`);
  }

  /** Rows that a sweep failed at are tried again at once, instead of after their pause. */
  async endPauses(): Promise<void> {
    await this.db.rows('delete from sweep_pause');
  }

  /** Ends the deadlines of running jobs, as if their callers had waited long enough. */
  async endDeadlines(): Promise<void> {
    await this.db.rows(
      `update job set poll_at = now(), deadline_at = now() - interval '1 second' where status = 'running'`,
    );
  }

  /** The check after every fault: no charge is open, and the books balance. */
  async expectPeace(): Promise<void> {
    for (const until = Date.now() + TERMINAL_MS_MAX; Date.now() < until;) {
      const open = await this.db.rows(
        `select id, rail, state from charge where state in ('held', 'settling')`,
      );
      if (open.length === 0) return expectBooksToBalance(this.db);
      await pause(50);
    }
    expect(await this.db.rows(`select id, state from charge where state in ('held', 'settling')`)).toEqual(
      [],
    );
  }

  async stop(): Promise<void> {
    // Processes may hang, because a test has broken the outside world. A clean stop is tested elsewhere.
    const killed = this.starting.map((starting) => starting.then((service) => service.kill()));
    await Promise.allSettled(killed);
    await this.db.onApplicationShutdown();
    await this.source.destroy();
  }
}
