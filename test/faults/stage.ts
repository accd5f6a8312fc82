import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type EmbeddedPostgres, startEmbeddedPostgres } from '#platform/database/embedded-postgres';
import { migrate } from '#platform/database/migrations';
import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { serverFolder } from '../support/postgres';
import { Deployment } from './deployment';
import { Listener } from './listener';
import { Hands, type Moment, stopAt } from './moments';
import { Wire } from './wire';

type Env = Readonly<Record<string, string>>;

/**
 * The process that gets the first call, the one that clients use afterwards, and one that only does background work.
 */
export const API = 0;
export const OTHER = 1;
export const WORKER = 2;
/** One of these polls, stores, sweeps and refunds. */
export const WORKERS = [OTHER, WORKER] as const;
const ROLES = ['api', 'all', 'worker'] as const;

/** More concurrent calls than the twenty connections of a process to its database. */
const TOO_MANY = 60;
const LISTING: Moment = {
  tables: ['reference'],
  statements: ['reference-select'],
  waiting: 18,
  evenReaders: true,
};

export interface StageSettings {
  /** For all processes. */
  readonly env?: Env;
  /** The only models of the catalog. */
  readonly catalog?: object;
  /** The settings of one process, by its place. */
  readonly own?: Readonly<Record<number, Env>>;
}

/** Three processes on a database that can crash, behind a network that can break: everything that a fault needs. */
export class Stage {
  private holder: Hands | undefined;

  private constructor(
    private readonly folder: string,
    private readonly server: EmbeddedPostgres,
    readonly wire: Wire,
    private readonly listener: Listener,
    readonly deployment: Deployment,
    /** A connection to the database itself, which works whatever happens to the network. */
    public hands: Hands,
    /** A caller whose calls keep the service busy. */
    private readonly visitor: Env,
  ) {}

  static async start({ env = {}, catalog, own = {} }: StageSettings = {}): Promise<Stage> {
    const folder = serverFolder('lamppost-stage-');
    // A crashed server must keep committed data. The machine itself does not fail here, so no fsync is needed.
    const server = await startEmbeddedPostgres({
      dataDir: folder,
      settings: { fsync: 'off', max_connections: 300 },
    });
    await migrate(server.url, { queues: true });
    const listener = await new Listener().start();
    await listener.listenTo(server.url);
    const wire = await Wire.to(server.url);
    const catalogFile = join(folder, 'catalog.json');
    if (catalog !== undefined) writeFileSync(catalogFile, JSON.stringify(catalog));
    const shared = {
      DATA_DIR: join(folder, 'data'),
      ...(catalog && { CATALOG_FILE: catalogFile }),
      RATE_LIMIT_REFERENCES: '0',
      ...env,
      FETCH_ALLOW_HOSTS: [env['FETCH_ALLOW_HOSTS'] ?? [], listener.host].flat().join(','),
    };
    const deployment = await Deployment.start(
      wire.url,
      ROLES.map((role, place) => ({ ...shared, ROLE: role, ...own[place] })),
    );
    const { key } = await KeyCaller.register(deployment.asWorld(), 0n);
    return new Stage(folder, server, wire, listener, deployment, await Hands.on(server.url), {
      'x-api-key': key,
    });
  }

  async stop(): Promise<void> {
    await this.hands.close();
    await this.deployment.stop();
    await this.listener.stop();
    await this.wire.stop();
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The check after every fault: no charge is open, the books balance, and each owner received its events. */
  async expectPeace(): Promise<void> {
    await this.deployment.expectPeace();
    await this.listener.expectAllReceived(this.deployment.db);
  }

  private get blobs(): string {
    return join(this.folder, 'data', 'blobs');
  }

  async killWorkers(): Promise<void> {
    await Promise.all(WORKERS.map((place) => this.deployment.kill(place)));
  }

  /** Suspends all workers, because any of them may have the work. */
  async pauseWorkers(): Promise<void> {
    await Promise.all(WORKERS.map((place) => this.deployment.pause(place)));
  }

  async resumeWorkers(): Promise<void> {
    await Promise.all(WORKERS.map((place) => this.deployment.resume(place)));
  }

  /** Lets `act` send its calls and stops them at the moment, until `letGo`. `hands` stays free for other actions. */
  async stopAt(moment: Moment, act: () => void): Promise<void> {
    this.holder = await stopAt(this.server.url, moment, act);
  }

  /** Does nothing if a fault has released the calls already. */
  async letGo(): Promise<void> {
    await this.holder?.letGo().catch(() => undefined);
    await this.holder?.close().catch(() => undefined);
    this.holder = undefined;
  }

  /**
   * Sends SIGTERM to a process. It accepts no more calls and finishes the running ones. `gone` resolves when it has
   * ended.
   */
  async beginToLeave(place: number): Promise<{ readonly gone: Promise<void> }> {
    const old = await this.deployment.url(place);
    const gone = this.deployment.replace(place);
    await expectEventually(() =>
      fetch(`${old}/health/live`).then(
        () => false,
        () => true,
      ),
    );
    return { gone };
  }

  async crashDatabase(): Promise<void> {
    this.hands = await this.hands.crash();
  }

  /** A second connection, for actions while the first one holds a moment. */
  moreHands(): Promise<Hands> {
    return Hands.on(this.server.url);
  }

  /** The keys of all stored media, with or without a row. */
  storedMedia(): string[] {
    return readdirSync(join(this.blobs, 'media'))
      .filter((name) => name.endsWith('.blob'))
      .map((name) => `media/${name.replace('.blob', '')}`);
  }

  /** No blob can be written until the returned function is called. */
  fillBlobStore(): () => void {
    const unfinished = join(this.blobs, '.unfinished');
    renameSync(unfinished, `${unfinished}-away`);
    writeFileSync(unfinished, '');
    return () => {
      rmSync(unfinished);
      renameSync(`${unfinished}-away`, unfinished);
    };
  }

  /**
   * While `work` runs, waiting calls of others hold all connections of the process to the database, except the `taken`
   * ones.
   */
  async overload(place: number, work: () => Promise<void>, taken = 0): Promise<void> {
    const listing = { ...LISTING, waiting: LISTING.waiting - taken };
    const blocker = await this.moreHands();
    await blocker.hold(listing);
    const url = `${await this.deployment.url(place)}/v1/agent/references`;
    const over = new AbortController();
    const callers = Array.from({ length: TOO_MANY }, async () => {
      while (!over.signal.aborted)
        await fetch(url, { headers: this.visitor }).then((answer) => answer.text());
    });
    try {
      await blocker.untilReached(listing);
      await work();
    } finally {
      over.abort();
      await blocker.letGo();
      await Promise.all(callers);
      await blocker.close();
    }
  }
}
