// npm run fleet:restore: a base backup and the log of Postgres, a loss, and the way back to a moment, as docs/operations/back-up.md describes.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../../tools/chain/free-port';
import { type KeyHolder, Tally, newCaller } from './callers';
import {
  Program,
  folderOfServer,
  initPostgres,
  launchPostgres,
  missingPrograms,
  onDatabase,
  runPostgresTool,
  untilTrue,
} from './programs';

const ROOT = join(__dirname, '..', '..');
const ADMIN_TOKEN = 'an-admin-token-of-the-restore';
const say = (text: string): void => void process.stdout.write(`${text}\n`);
let failures = 0;
const hold = (claim: string, holds: boolean, more: unknown = ''): void => {
  if (!holds) failures += 1;
  say(`${holds ? 'ok     ' : 'FAILED '} ${claim}${holds ? '' : ` ${JSON.stringify(more)}`}`);
};

const startService = async (folder: string, databaseUrl: string, port: number): Promise<Program> => {
  const service = Program.start(process.execPath, [join(ROOT, 'dist', 'src', 'main.js')], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      LOG_LEVEL: 'warn',
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      DATABASE_URL: databaseUrl,
      DATA_DIR: join(folder, 'data'),
      SIGNING_SECRET: 'a-secret-of-the-restore-0123456789abcdef',
      ADMIN_TOKEN,
    },
  });
  await untilTrue(
    'the service',
    service,
    async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok,
  );
  return service;
};

const balanceOf = async (url: string, { key }: KeyHolder): Promise<number> => {
  const answer = await fetch(`${url}/v1/agent/balance`, { headers: { 'x-api-key': key } });
  return ((await answer.json()) as { balanceMicro: number }).balanceMicro;
};

const driftOf = async (url: string): Promise<readonly number[]> => {
  const answer = await fetch(`${url}/v1/admin/drift`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  const { now } = (await answer.json()) as { now?: { driftMicro: Record<string, number> } };
  return Object.values(now?.driftMicro ?? { unread: 1 });
};

const scenario = async (folder: string, stops: (() => Promise<unknown>)[]): Promise<void> => {
  const archive = folderOfServer(folder, 'archive');
  const data = initPostgres(
    folder,
    'postgres',
    'host all postgres 127.0.0.1/32 trust\nhost replication postgres 127.0.0.1/32 trust\n',
  );
  const server = await launchPostgres(data, {
    archive_mode: 'on',
    archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`,
    archive_timeout: 60,
  });
  stops.push(() => server.program.stop('SIGQUIT'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let service = await startService(folder, server.admin, port);
  stops.push(() => service.stop());
  const holder = await newCaller(url, ADMIN_TOKEN, 5);
  const tally = new Tally();
  const pay = async (calls: number): Promise<void> => {
    for (let call = 0; call < calls; call += 1) await holder.chat(tally);
  };

  await pay(3);
  const backup = folderOfServer(folder, 'backup');
  runPostgresTool(
    'pg_basebackup',
    ['-d', server.admin, '-D', backup, '-X', 'none', '--checkpoint=fast'],
    folder,
  );
  say('a base backup, beside the running service');
  await pay(4);
  const there = await balanceOf(url, holder);
  const moment = await onDatabase(server.admin, async (client) => {
    const { rows } = await client.query<{ now: string }>(`select clock_timestamp()::text as now`);
    return rows[0]!.now;
  });
  await pay(2);
  const lost = await balanceOf(url, holder);
  await onDatabase(server.admin, (client) => client.query('select pg_switch_wal()'));
  await untilTrue('the archive', server.program, () =>
    onDatabase(server.admin, async (client) => {
      const { rows } = await client.query<{ done: boolean }>(
        `select last_archived_time > $1::timestamptz as done from pg_stat_archiver`,
        [moment],
      );
      return rows[0]!.done;
    }),
  );
  await service.stop('SIGKILL');
  await server.program.stop('SIGQUIT');
  say(`the server is lost; going back to ${moment}`);

  writeFileSync(join(backup, 'recovery.signal'), '');
  chmodSync(join(backup, 'recovery.signal'), 0o644);
  const began = Date.now();
  const restored = await launchPostgres(backup, {
    restore_command: `cp ${archive}/%f %p`,
    recovery_target_time: moment,
    recovery_target_action: 'promote',
  });
  stops.push(() => restored.program.stop('SIGINT'));
  service = await startService(folder, restored.admin, port);
  say(`restored and serving after ${Date.now() - began} ms`);

  hold('the balance is that of the moment', (await balanceOf(url, holder)) === there && lost < there, {
    there,
    lost,
  });
  const drift = await driftOf(url);
  hold(
    'the books balance',
    drift.every((micro) => micro === 0),
    drift,
  );
  await pay(2);
  hold('calls are paid again', (await balanceOf(url, holder)) === there - 4_000, tally.broken);
  hold('no call failed', tally.broken.length === 0, tally.broken);
};

const main = async (): Promise<void> => {
  const missing = missingPrograms().filter((name) => name === 'postgresql');
  if (missing.length > 0) {
    say('Not run: postgresql must be installed (Debian: apt-get install postgresql).');
    process.exitCode = 2;
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-restore-'));
  chmodSync(folder, 0o755);
  const stops: (() => Promise<unknown>)[] = [];
  try {
    await scenario(folder, stops);
  } finally {
    for (const stop of stops.reverse()) await stop();
    rmSync(folder, { recursive: true, force: true });
  }
  process.exitCode = failures === 0 ? 0 : 1;
};

main()
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
  })
  .finally(() => process.exit());
