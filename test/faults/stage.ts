import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/database/embedded-postgres';
import { migrate } from '../../src/platform/database/migrations';
import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { serverFolder } from '../support/postgres';
import { Deployment } from './deployment';
import { Listener } from './listener';
import { Hands, type Moment, stopAt } from './moments';
import { Wire } from './wire';

type Env = Readonly<Record<string, string>>;

/** The process that takes the first call, the one that clients turn to afterwards, and one that only works. */
export const API = 0;
export const OTHER = 1;
export const WORKER = 2;
/** The process that polls, stores, sweeps and refunds is among these. */
export const WORKERS = [OTHER, WORKER] as const;
const ROLES = ['api', 'all', 'worker'] as const;

/** More calls at once than a process has connections to its database, which are twenty. */
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
  /** The only models there are. */
  readonly catalog?: object;
  /** For one of them, by its place. */
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
    /** They work on the database itself, whatever is done to the network. */
    public hands: Hands,
    /** Somebody whose calls keep the service busy. */
    private readonly visitor: Env,
  ) {}

  static async start({ env = {}, catalog, own = {} }: StageSettings = {}): Promise<Stage> {
    const folder = serverFolder('lamppost-stage-');
    // A server that crashes must keep what it committed; the machine itself does not fail here, so no fsync.
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

  /** The end of every fault: nothing is left open, the books balance, and all of it was told to whom it concerns. */
  async expectPeace(): Promise<void> {
    await this.deployment.expectPeace();
    await this.listener.expectAllHeard(this.deployment.db);
  }

  private get blobs(): string {
    return join(this.folder, 'data', 'blobs');
  }

  async killWorkers(): Promise<void> {
    await Promise.all(WORKERS.map((place) => this.deployment.kill(place)));
  }

  /** All of them are suspended: the process that works on something is among them. */
  async pauseWorkers(): Promise<void> {
    await Promise.all(WORKERS.map((place) => this.deployment.pause(place)));
  }

  async resumeWorkers(): Promise<void> {
    await Promise.all(WORKERS.map((place) => this.deployment.resume(place)));
  }

  /** Lets `act` send its calls and stops them at the moment, until `letGo`. The hands stay free to strike. */
  async stopAt(moment: Moment, act: () => void): Promise<void> {
    this.holder = await stopAt(this.server.url, moment, act);
  }

  /** Also when a strike has freed them already. */
  async letGo(): Promise<void> {
    await this.holder?.letGo().catch(() => undefined);
    await this.holder?.close().catch(() => undefined);
    this.holder = undefined;
  }

  /** It must end, and takes no more calls. It finishes the running ones. Resolves when it is gone. */
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

  /** A second pair, for what must go on while the first holds something. */
  moreHands(): Promise<Hands> {
    return Hands.on(this.server.url);
  }

  /** The keys of all media that are stored, whether or not anybody knows of them. */
  storedMedia(): string[] {
    return readdirSync(join(this.blobs, 'media'))
      .filter((name) => name.endsWith('.blob'))
      .map((name) => `media/${name.replace('.blob', '')}`);
  }

  /** No blob can be written any more, until the answer is called. */
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
   * While `work` lasts, calls that wait for something else hold every connection that the process has, but for those
   * that are `taken` already.
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
