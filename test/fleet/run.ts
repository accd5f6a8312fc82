// npm run fleet [-- --seconds 40] [-- --from <commit> [--back]]: a fleet as docs/operations/deploy.md describes, under mixed paid load
// and through a rolling restart. Four API and two worker processes run behind nginx, with PgBouncer, Postgres, Redis and an
// S3-compatible store. Ends with 1 when a call was lost, reset or charged twice, and when anything else did not hold that
// the page promises.
import 'reflect-metadata';

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { Agent, setGlobalDispatcher } from 'undici';

import { startLocalChain } from '../../tools/chain/local-chain';
import { freePort } from '../../tools/chain/free-port';
import { FakeS3 } from '../support/fake-s3';
import { type EndlessStream, KeyHolder, PayingStranger, Tally, newCaller } from './callers';
import {
  PASSWORD,
  Program,
  Proxy,
  makeCertificates,
  missingPrograms,
  onDatabase,
  startPooler,
  startPostgres,
  untilTrue,
} from './programs';

const ROOT = join(__dirname, '..', '..');
const ADMIN_TOKEN = 'an-admin-token-of-the-fleet';
const MEDIA_A_MINUTE = 30;

/** Each call has a new connection, because nginx closes kept connections when it is reloaded, even during a call. */
setGlobalDispatcher(new Agent({ pipelining: 0 }));

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const problems: string[] = [];
const hold = (claim: string, holds: boolean, more: unknown = ''): void => {
  say(`${holds ? 'ok     ' : 'FAILED '} ${claim}${holds ? '' : ` ${JSON.stringify(more)}`}`);
  if (!holds) problems.push(claim);
};

/** One process of the service. It keeps its port through restarts. */
class Member {
  private constructor(
    readonly name: string,
    readonly port: number,
    private readonly env: NodeJS.ProcessEnv,
    private program: Program,
  ) {}

  static async start(name: string, main: string, folder: string, shared: NodeJS.ProcessEnv): Promise<Member> {
    const port = await freePort();
    const env = { ...shared, PORT: String(port), DATA_DIR: join(folder, name) };
    const member = new Member(name, port, env, Member.launch(main, folder, env));
    await member.untilReady();
    return member;
  }

  private static launch(main: string, cwd: string, env: NodeJS.ProcessEnv): Program {
    return Program.start(process.execPath, [main], { cwd, env });
  }

  /** Restarts the process like a service manager: a signal, the end, a new start. */
  async restart(main: string, folder: string): Promise<void> {
    const began = Date.now();
    const code = await this.program.stop('SIGTERM');
    const gone = Date.now() - began;
    if (code !== 0) problems.push(`${this.name} ended with ${code}: ${this.program.output.slice(-500)}`);
    this.program = Member.launch(main, folder, this.env);
    await this.untilReady();
    say(`        ${this.name} restarted: gone after ${gone} ms, back after ${Date.now() - began} ms`);
  }

  stop(): Promise<number | null> {
    return this.program.stop();
  }

  get output(): string {
    return this.program.output;
  }

  private untilReady(): Promise<void> {
    return untilTrue(
      this.name,
      this.program,
      async () => (await fetch(`http://127.0.0.1:${this.port}/health/ready`)).ok,
    );
  }
}

/** Repeats the same work until it is aborted. */
const repeat = async (over: AbortSignal, work: () => Promise<unknown>, pauseMs: number): Promise<void> => {
  while (!over.aborted) {
    await work();
    await pause(pauseMs * (0.5 + Math.random()));
  }
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '40' },
      from: { type: 'string' },
      // After the restart, the processes return to the earlier version, on the schema of this one.
      back: { type: 'boolean', default: false },
      apis: { type: 'string', default: '4' },
      workers: { type: 'string', default: '2' },
      // The packages of earlier versions, which several runs share.
      packages: { type: 'string' },
    },
  });
  const missing = missingPrograms();
  if (missing.length > 0) {
    say(`Not run: ${missing.join(', ')} must be installed (Debian: apt-get install ${missing.join(' ')}).`);
    process.exitCode = 2;
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-fleet-'));
  chmodSync(folder, 0o755);
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const packages = values.packages ?? join(folder, 'packages');
    const before = values.from === undefined ? ROOT : earlier(values.from, folder, packages, stops);
    const [seconds, apis, workers] = [values.seconds, values.apis, values.workers].map(Number);
    await scenario(
      folder,
      { seconds: seconds!, apis: apis!, workers: workers!, before, back: values.back },
      stops,
    );
  } finally {
    for (const stop of stops.reverse()) await stop().catch((error: unknown) => problems.push(String(error)));
    rmSync(folder, { recursive: true, force: true });
  }
  say(problems.length === 0 ? 'The fleet holds.' : `${problems.length} problems:\n${problems.join('\n')}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
};

/** Builds an earlier version beside this one, with those packages of this one that are the same. */
const earlier = (
  commit: string,
  folder: string,
  packages: string,
  stops: (() => Promise<unknown>)[],
): string => {
  const place = join(folder, 'before');
  const git = (...args: string[]): void =>
    void execFileSync('git', args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  git('worktree', 'add', '--detach', place, commit);
  stops.push(() => Promise.resolve(git('worktree', 'remove', '--force', place)));
  const lockOf = (root: string): string => {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: object };
    return createHash('sha256')
      .update(JSON.stringify({ ...lock.packages, '': undefined }))
      .digest('hex');
  };
  const lock = lockOf(place);
  const installed = lock === lockOf(ROOT) ? ROOT : join(packages, lock);
  if (!existsSync(installed)) {
    say(`installing the packages of ${commit} …`);
    mkdirSync(installed, { recursive: true });
    for (const name of ['package.json', 'package-lock.json'])
      cpSync(join(place, name), join(installed, name));
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: installed,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  symlinkSync(join(installed, 'node_modules'), join(place, 'node_modules'));
  execFileSync(process.execPath, ['tools/build.mjs'], { cwd: place, stdio: 'inherit' });
  say(`the fleet begins as ${commit}`);
  return place;
};

interface RunOptions {
  readonly seconds: number;
  readonly apis: number;
  readonly workers: number;
  readonly back: boolean;
  /** The folder of the version with which the fleet begins. */
  readonly before: string;
}

const scenario = async (
  folder: string,
  { seconds, apis, workers, before, back }: RunOptions,
  stops: (() => Promise<unknown>)[],
): Promise<void> => {
  makeCertificates(folder);
  const postgres = await startPostgres(folder);
  stops.push(() => postgres.program.stop('SIGINT'));
  const roles = readFileSync(join(ROOT, 'deploy', 'postgres', 'roles.sql'), 'utf8');
  await onDatabase(postgres.admin, (client) => client.query('create database lamppost'));
  const admin = postgres.admin.replace(/\/postgres$/, '/lamppost');
  const prepare = (): Promise<unknown> => onDatabase(admin, (client) => client.query(roles));
  await prepare();
  for (const role of ['lamppost_owner', 'lamppost_service'])
    await onDatabase(admin, (client) => client.query(`alter role ${role} password '${PASSWORD}'`));
  const trust = `sslmode=verify-full&sslrootcert=${folder}/ca.pem`;
  const direct = (role: string): string =>
    `postgres://${role}:${PASSWORD}@localhost:${postgres.port}/lamppost?${trust}`;
  const base = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
  };
  const secret = { SIGNING_SECRET: 'a-secret-of-the-fleet-0123456789abcdef' };
  const migrate = async (version: string): Promise<string> => {
    const migration = Program.start(process.execPath, [join(version, 'dist', 'src', 'migrate.js')], {
      cwd: folder,
      // Earlier versions require the secret.
      env: { ...base, ...(version === ROOT ? {} : secret), DATABASE_URL: direct('lamppost_owner') },
    });
    const code = await migration.ended();
    if (code !== 0) throw new Error(`The migrations failed: ${migration.output}`);
    await prepare();
    return migration.output.trim();
  };
  await migrate(before);
  say('Postgres with TLS, its roles and the migrations, made by the owner: there');

  const pooler = await startPooler(folder, postgres.port);
  stops.push(() => pooler.program.stop());
  const redisPort = await freePort();
  const redis = Program.start(
    'redis-server',
    ['--port', String(redisPort), '--bind', '127.0.0.1', '--save', '', '--maxmemory-policy', 'noeviction'],
    { cwd: folder },
  );
  stops.push(() => redis.stop());
  const s3 = await FakeS3.start();
  stops.push(() => s3.stop());
  const chain = await startLocalChain({ port: await freePort() });
  stops.push(() => chain.stop());
  const [relayer, payee] = chain.accounts;

  const proxyPort = await freePort();
  const shared = {
    ...base,
    ...secret,
    ADMIN_TOKEN,
    METRICS_TOKEN: 'a-metrics-token-of-the-fleet',
    PUBLIC_URL: `http://127.0.0.1:${proxyPort}`,
    TRUSTED_PROXIES: '127.0.0.1',
    DATABASE_URL: `postgres://lamppost_service:${PASSWORD}@localhost:${pooler.port}/lamppost?${trust}`,
    DATABASE_DIRECT_URL: direct('lamppost_service'),
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    BLOB_STORE: 's3',
    S3_ENDPOINT: s3.endpoint,
    S3_BUCKET: s3.bucket,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    X402_FACILITATOR: 'local',
    X402_RPC_URL: chain.rpcUrl,
    X402_RELAYER_KEY: relayer!.privateKey,
    X402_PAY_TO: payee!.address,
    ALLOW_SANDBOX_MIX: 'true',
    // All callers of this run have the same address.
    RATE_LIMIT_ADDRESS: '0',
    RATE_LIMIT_CHALLENGE: '0',
    RATE_LIMIT_FREE: '0',
    RATE_LIMIT_CHAT: '0',
    RATE_LIMIT_SIGN_IN: '0',
    RATE_LIMIT_MEDIA: String(MEDIA_A_MINUTE),
  };
  const main = (version: string): string => join(version, 'dist', 'src', 'main.js');
  const members: Member[] = [];
  stops.push(() => Promise.all(members.map((member) => member.stop())));
  for (let place = 0; place < apis; place += 1)
    members.push(await Member.start(`api-${place}`, main(before), folder, { ...shared, ROLE: 'api' }));
  for (let place = 0; place < workers; place += 1)
    members.push(await Member.start(`worker-${place}`, main(before), folder, { ...shared, ROLE: 'worker' }));
  const proxy = await Proxy.start(
    folder,
    members.slice(0, apis).map(({ port }) => port),
    proxyPort,
  );
  stops.push(() => proxy.program.stop());
  const url = `http://127.0.0.1:${proxyPort}`;
  say(`${apis} API and ${workers} worker processes behind nginx at ${url}`);

  const tally = new Tally();
  const holders = await Promise.all(Array.from({ length: 6 }, () => newCaller(url, ADMIN_TOKEN)));
  const strangers = [new PayingStranger(url), new PayingStranger(url)];
  for (const { wallet } of strangers) await chain.usdc.mint(wallet.account.address, 100_000_000n);

  // All processes share one limit, whichever process nginx chooses.
  const greedy = await newCaller(url, ADMIN_TOKEN);
  const tries = new Tally();
  const statuses = await Promise.all(Array.from({ length: MEDIA_A_MINUTE + 10 }, () => greedy.image(tries)));
  hold(
    `of ${MEDIA_A_MINUTE + 10} images at once ${MEDIA_A_MINUTE} pass: limits are shared`,
    statuses.filter((status) => status === 200).length === MEDIA_A_MINUTE &&
      statuses.filter((status) => status === 429).length === 10,
    statuses,
  );

  const ending = new AbortController();
  const received = holders.map((): string[] => []);
  const following = new AbortController();
  stops.push(() => Promise.resolve(following.abort()));
  const followers = holders.map((holder, place) => holder.follow(received[place]!, following.signal));
  const load = [
    ...holders.map((holder) => repeat(ending.signal, () => holder.chat(tally), 50)),
    ...holders.slice(0, 3).map((holder) => repeat(ending.signal, () => holder.stream(tally), 500)),
    ...holders.slice(0, 2).map((holder) => repeat(ending.signal, () => holder.image(tally), 5_000)),
    ...holders.slice(2).map((holder) => repeat(ending.signal, () => holder.film(tally), 5_000)),
    ...strangers.map((stranger) => repeat(ending.signal, () => stranger.chat(tally), 500)),
  ];
  const began = Date.now();
  await pause(2_000);
  if (before !== ROOT) {
    say(`the migrations of this version, while that one serves: ${await migrate(ROOT)}`);
    await pause(5_000);
  }
  // The stopping process waits for this stream as long as for any call. An earlier version may not know its pace.
  const listener = await newCaller(url, ADMIN_TOKEN);
  const funds = await listener.balanceMicro();
  const endless = before === ROOT ? await listener.endlessStream() : undefined;
  const roll = async (version: string): Promise<void> => {
    for (const member of members) {
      await proxy.leaveOut(member.port);
      await member.restart(main(version), folder);
    }
    await proxy.leaveOut();
  };
  say('a rolling restart, under load:');
  await roll(ROOT);
  if (back) {
    await pause(5_000);
    say('back to the earlier version, on the schema of this one:');
    await roll(before);
  }
  if (endless !== undefined) await expectCostsNothing(admin, listener, endless, funds);
  await pause(Math.max(0, seconds * 1_000 - (Date.now() - began)));
  ending.abort();
  await Promise.all(load);
  say(`what became of the calls of ${Math.round((Date.now() - began) / 1_000)} s:\n${String(tally)}`);
  hold('no call was lost, reset or answered with 5xx', tally.broken.length === 0, {
    calls: tally.broken.slice(0, 10),
    proxy: proxy.errors.slice(0, 10),
  });

  await afterwards(admin, url, { tally, holders, received, strangers });
  following.abort();
  await Promise.all(followers);
  hold(
    'no process warned of anything but what a restart brings',
    members.every(({ output }) => !/"level":(50|60)/.test(output)),
    members.map(({ output }) => output.slice(-1_000)),
  );
};

/** The stream ended with an error event, and its money was released. */
const expectCostsNothing = async (
  admin: string,
  listener: KeyHolder,
  { status, charge, ended }: EndlessStream,
  funds: number,
): Promise<void> => {
  const { pieces, last } = await ended;
  const left = await listener.balanceMicro();
  const state = await onDatabase(admin, async (client) => {
    const { rows } = await client.query<{ state: string }>('select state from charge where id = $1', [
      charge,
    ]);
    return rows[0]?.state;
  });
  const saysWhy = /^data: \{"error":.*restarts/.test(last);
  hold(
    `a stream that outlives the drain ends in an error event, after ${pieces} pieces, and costs nothing`,
    status === 200 && pieces > 1 && saysWhy && state === 'released' && left === funds,
    { status, last, charge, state, left, funds },
  );
};

interface Outcome {
  readonly tally: Tally;
  readonly holders: readonly KeyHolder[];
  readonly received: readonly (readonly string[])[];
  readonly strangers: readonly PayingStranger[];
}

/** The books, the log of events and the queues at the end. */
const afterwards = (admin: string, url: string, { tally, holders, received }: Outcome): Promise<void> =>
  onDatabase(admin, async (client) => {
    const rows = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
      (await client.query<Row>(text, values)).rows;
    const open = `select id, state from charge where state in ('held', 'settling')`;
    for (const until = Date.now() + 60_000; Date.now() < until && (await rows(open)).length > 0;)
      await pause(200);
    hold('nothing stays held', (await rows(open)).length === 0, await rows(open));
    const drift = await fetch(`${url}/v1/admin/drift`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    const said = await drift.text();
    const { now } = JSON.parse(said) as { now?: { driftMicro: Record<string, number> } };
    const sums = Object.values(now?.driftMicro ?? {});
    hold('the books balance', sums.length > 0 && sums.every((micro) => micro === 0), said);

    const charged = await rows<{ id: string; price: string }>(
      `select id, price_micro as price from charge where state = 'charged' and operation <> 'top_up'`,
    );
    const prices = new Map(charged.map(({ id, price }) => [id, Number(price)]));
    const wrong = [...tally.reported].filter(([id, price]) => prices.get(id) !== price);
    hold(
      `${tally.reported.size} calls that were answered are charged, at the price in the answer`,
      wrong.length === 0,
      wrong,
    );
    const twice = await rows(
      `select payer, mark from charge where mark is not null and state in ('charged', 'refunded')
       group by 1, 2 having count(*) > 1`,
    );
    hold('no call is charged twice', twice.length === 0, twice);
    const doubled = await rows(`select charge_id from job group by 1 having count(*) > 1`);
    const submitted = await rows<{ jobs: string; operations: string }>(
      `select (select count(*) from job) as jobs, (select count(*) from sandbox_operation) as operations`,
    );
    hold('each paid call has one job', doubled.length === 0, doubled);
    hold('each job was submitted once', submitted[0]!.jobs === submitted[0]!.operations, submitted);
    const transfers = await rows(
      `select tx_hash, log_index from x402_payment where tx_hash is not null group by 1, 2 having count(*) > 1`,
    );
    hold('each payment on chain has a transfer of its own', transfers.length === 0, transfers);

    await pause(2_000); // The last events are still being delivered.
    for (const [place, { id }] of holders.entries()) {
      const reported = received[place]!;
      const stored = await rows<{ id: string }>('select id from event where owner = $1', [id]);
      const missed = stored.filter((event) => !reported.includes(event.id));
      const foreign = await rows('select id from event where id = any($1) and owner <> $2', [reported, id]);
      hold(
        `follower ${place} heard all ${reported.length} of its events, each once, and nobody else's`,
        missed.length === 0 && foreign.length === 0 && new Set(reported).size === reported.length,
        { missed: missed.slice(0, 3), foreign, twice: reported.length - new Set(reported).size },
      );
    }
    const queues = await fetch(`${url}/v1/admin/queues`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    say(`queues: ${await queues.text()}`);
  });

main()
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
  })
  .finally(() => process.exit());
