import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { Client } from 'pg';

import { DATA_CHECKS } from '#faces/doctor/data-checks';
import { migrate } from '#platform/database/migrations';
import { DatabaseStartError } from '#platform/database/database-start-error';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#platform/database/embedded-postgres';
import { readSettings } from '../../src/settings';
import { expectEventually } from '../support/eventually';

const ROOT = resolve(__dirname, '..', '..');
const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
/** If only root may enter the clone, no other user can run its programs. */
const canLend = isRoot && spawnSync('test', ['-r', join(ROOT, 'package.json')], NOBODY).status === 0;
const asNobody = canLend ? it : it.skip;
const asUser = isRoot ? it.skip : it;

const ask = async (url: string, text: string): Promise<unknown[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
};

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  // A process that has ended keeps its number until its parent waits for it.
  return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
};

describe('the embedded Postgres', () => {
  let base: string;
  let dataDir: string;
  let running: EmbeddedPostgres[];
  let others: ChildProcess[];

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'lamppost-embedded-'));
    chmodSync(base, 0o755);
    dataDir = join(base, 'data');
    running = [];
    others = [];
  });

  afterEach(async () => {
    const servers = new Set(running.map(({ pid }) => pid));
    await Promise.all(running.map((server) => server.stop()));
    others.forEach((other) => other.kill('SIGKILL'));
    await expectEventually(() => [...servers].every((pid) => !isRunning(pid)));
    rmSync(base, { recursive: true, force: true });
  });

  const start = async (folder = dataDir): Promise<EmbeddedPostgres> => {
    const server = await startEmbeddedPostgres({ dataDir: folder, settings: { fsync: 'off' } });
    running.push(server);
    return server;
  };

  /** Does the same in a separate process, which reports its server and then lives until it is stopped. */
  const startElsewhere = async (
    folder = dataDir,
    account: { uid?: number; gid?: number } = {},
  ): Promise<{ process: ChildProcess; url: string; pid: number; started: boolean }> => {
    const code = `const { startEmbeddedPostgres } = require('./src/platform/database/embedded-postgres');
      startEmbeddedPostgres({ dataDir: ${JSON.stringify(folder)}, settings: { fsync: 'off' } }).then(
        (server) => {
          process.stdout.write(JSON.stringify(server) + '\\n');
          process.on('SIGTERM', () => void server.stop().then(() => process.exit(0)));
          setInterval(() => undefined, 1000);
        },
        (error) => process.stdout.write(JSON.stringify({ error: error.name, message: error.message }) + '\\n'),
      );`;
    const child = spawn(process.execPath, ['-r', './tools/typescript.cjs', '-e', code], {
      ...account,
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    others.push(child);
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('It ended without a word.')));
    const [line] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer];
    ended.catch(() => undefined);
    return {
      process: child,
      ...(JSON.parse(line.toString()) as { url: string; pid: number; started: boolean }),
    };
  };

  it('lets doctor examine the prices of models while no service runs', async () => {
    const settings = readSettings({
      ANTHROPIC_API_KEY: 'a-key-of-anthropic-0123456789',
      ALLOW_SANDBOX_MIX: 'true',
      DATA_DIR: dataDir,
    });
    const check = DATA_CHECKS['model prices']!;
    expect(await check(settings)).toMatchObject({ outcome: 'skipped' });
    const server = await start();
    await migrate(server.url, { queues: true });
    await server.stop();
    running = [];
    expect(await check(settings)).toMatchObject({ outcome: 'ok', text: expect.stringMatching(/for sale$/) });
  });

  it('starts, stops, and has its data at the next start', async () => {
    const first = await start();
    await ask(first.url, 'create table kept as select 1 as one');
    await first.stop();
    await expectEventually(() => !isRunning(first.pid)); // A process that is ending still has its number.

    const second = await start();

    expect(await ask(second.url, 'select one from kept')).toEqual([{ one: 1 }]);
    expect(second.started).toBe(true);
  });

  it('leaves no server behind when its process is killed', async () => {
    const owner = await startElsewhere();
    await ask(owner.url, 'create table kept as select 1 as one');

    owner.process.kill('SIGKILL');

    await expectEventually(() => !isRunning(owner.pid));
    expect(await ask((await start()).url, 'select one from kept')).toEqual([{ one: 1 }]);
  });

  it('starts one server when two processes start at the same moment on an empty folder', async () => {
    const [one, two, here] = await Promise.all([startElsewhere(), startElsewhere(), start()]);

    expect(new Set([one.pid, two.pid, here.pid]).size).toBe(1);
    expect([one, two, here].filter(({ started }) => started)).toHaveLength(1);
    expect(await ask(two.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'keeps the server for a second process when the one that started it gets %s',
    async (signal) => {
      const owner = await startElsewhere();
      const second = await start();

      owner.process.kill(signal);
      await once(owner.process, 'exit');

      expect(second).toMatchObject({ pid: owner.pid, started: false });
      expect(await ask(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
      await second.stop();
      await expectEventually(() => !isRunning(owner.pid));
    },
  );

  it('recovers when the server itself was killed', async () => {
    const first = await start();
    await ask(first.url, 'create table kept as select 1 as one');
    process.kill(first.pid, 'SIGKILL');
    await expectEventually(() => !isRunning(first.pid));

    const second = await start();

    expect(await ask(second.url, 'select one from kept')).toEqual([{ one: 1 }]);
  });

  it('stops the new server although a user of the killed one leaves in the middle of it', async () => {
    const first = await start();
    process.kill(first.pid, 'SIGKILL');
    await expectEventually(() => !isRunning(first.pid));
    const second = await start();
    const users = join(dataDir, 'pg', 'users');
    const [user] = readdirSync(users);
    // The first step of the last user's end: it has left, and has not closed the folder yet.
    renameSync(join(users, String(user)), join(base, 'left'));

    await first.stop();

    renameSync(join(base, 'left'), join(users, String(user)));
    await second.stop();
    await expectEventually(() => !isRunning(second.pid)); // A process that is ending still has its number.
  });

  it('is not fooled by a file that names a process of someone else', async () => {
    const first = await start();
    await first.stop();
    const file = join(dataDir, 'pg', 'data', 'postmaster.pid');
    writeFileSync(file, `${process.pid}\n${join(dataDir, 'pg', 'data')}\n1\n5432\n\n127.0.0.1\n`);

    const second = await start();

    expect(await ask(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('starts where an earlier start was cut off', async () => {
    const home = join(dataDir, 'pg');
    mkdirSync(join(home, 'new-AbCdEf'), { recursive: true });
    writeFileSync(join(home, 'new-AbCdEf', 'PG_VERSION'), '18');
    mkdirSync(join(home, 'lock'));
    writeFileSync(join(home, 'lock', `${2 ** 22 + 1}-dead`), '');

    const server = await start();

    expect(await ask(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(existsSync(join(home, 'new-AbCdEf'))).toBe(false);
  });

  it('keeps its data below the folder it was given, also when that is private', async () => {
    const closed = join(base, 'private');
    mkdirSync(closed, { mode: 0o700 });

    const server = await start(join(closed, 'data'));

    expect(await ask(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(existsSync(join(closed, 'data', 'pg', 'data', 'PG_VERSION'))).toBe(true);
  });

  asNobody('runs for a normal user as well', async () => {
    chownSync(base, NOBODY.uid, NOBODY.gid);

    const owner = await startElsewhere(dataDir, NOBODY);

    expect(await ask(owner.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    owner.process.kill('SIGKILL');
    await expectEventually(() => !isRunning(owner.pid));
  });

  asNobody('says what to do when it may not write', async () => {
    const result = await startElsewhere(join(base, 'closed'), NOBODY);

    expect(result).toMatchObject({
      error: 'DatabaseStartError',
      message: expect.stringMatching(/^Can't write to .*closed\/pg \(EACCES\); set DATA_DIR to a folder/),
    });
  });

  asUser('says what to do when it may not write', async () => {
    chmodSync(base, 0o500);

    await expect(start()).rejects.toThrow(/^Can't write to .* \(EACCES\); set DATA_DIR to a folder/);

    chmodSync(base, 0o700);
  });

  it('says what to do when a file is in the way', async () => {
    writeFileSync(dataDir, '');

    const failing = start();

    await expect(failing).rejects.toBeInstanceOf(DatabaseStartError);
    await expect(failing).rejects.toThrow(
      /set DATA_DIR to a folder that you may write to, or set DATABASE_URL/,
    );
  });
});
