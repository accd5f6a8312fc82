import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { Client } from 'pg';

import { serverAccount } from '#platform/database/postgres-binaries';
import { freePort } from '../../tools/chain/free-port';

const ROOT = join(__dirname, '..', '..');
const deployed = (path: string): string => readFileSync(join(ROOT, 'deploy', path), 'utf8');

/** Debian puts the server into a folder that only its own wrappers search. */
const postgresFolder = (): string | undefined => {
  const homes = '/usr/lib/postgresql';
  const versions = existsSync(homes) ? readdirSync(homes).sort((a, b) => Number(b) - Number(a)) : [];
  return versions
    .map((version) => join(homes, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'postgres')));
};

const has = (program: string, flag: string): boolean => spawnSync(program, [flag]).error === undefined;

/** The programs that this machine lacks. */
export const missingPrograms = (): readonly string[] => [
  ...(postgresFolder() === undefined ? ['postgresql'] : []),
  ...(has('pgbouncer', '--version') ? [] : ['pgbouncer']),
  ...(has('nginx', '-v') ? [] : ['nginx-light']),
  ...(has('redis-server', '--version') ? [] : ['redis-server']),
  ...(has('openssl', 'version') ? [] : ['openssl']),
];

/** One program that runs until it is stopped. */
export class Program {
  private said = '';

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (bytes) => (this.said += String(bytes)));
  }

  static start(
    program: string,
    args: readonly string[],
    options: { readonly cwd: string; readonly asServer?: boolean; readonly env?: NodeJS.ProcessEnv },
  ): Program {
    const { asServer, ...rest } = options;
    const account = asServer === true ? serverAccount() : undefined;
    return new Program(spawn(program, args, { ...rest, ...account, stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  get output(): string {
    return this.said;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** The exit code, if the program ends by itself. */
  async ended(): Promise<number | null> {
    if (!this.hasEnded) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  /** Stops the program, and returns its exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (!this.hasEnded) {
      const gone = once(this.child, 'exit');
      this.child.kill(signal);
      await gone;
    }
    return this.child.exitCode;
  }
}

/** Waits until this is true. Fails if the program ends before. */
export const untilTrue = async (
  what: string,
  program: Program,
  holds: () => Promise<boolean>,
): Promise<void> => {
  for (const until = Date.now() + 180_000; ; await pause(50)) {
    if (await holds().catch(() => false)) return;
    if (program.hasEnded || Date.now() > until) throw new Error(`${what} does not answer: ${program.output}`);
  }
};

/** Makes a certificate authority, and a certificate of this machine. */
export const makeCertificates = (folder: string): void => {
  const openssl = (...args: string[]): void =>
    void execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-subj',
    '/CN=An authority of the fleet',
  );
  openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost');
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1');
  const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'server.csr', ...signing, '-out', 'server.pem');
  giveToServer(join(folder, 'server.key'));
  chmodSync(join(folder, 'server.key'), 0o600);
};

const giveToServer = (path: string): void => {
  const account = serverAccount();
  if (account !== undefined) chownSync(path, account.uid, account.gid);
};

export const PASSWORD = 'a-password-of-the-fleet';

type ServerSettings = Readonly<Record<string, string | number>>;

/** Runs one of Debian's programs for Postgres, as the server's account. */
export const runPostgresTool = (name: string, args: readonly string[], cwd: string): void =>
  void execFileSync(join(postgresFolder()!, name), args, {
    ...serverAccount(),
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  });

/** Makes an empty folder that the server's account may write to. */
export const folderOfServer = (folder: string, name: string): string => {
  const path = join(folder, name);
  mkdirSync(path, { mode: 0o700 });
  giveToServer(path);
  return path;
};

/** Starts Debian's Postgres with the files in `data`. */
export const launchPostgres = async (
  data: string,
  settings: ServerSettings = {},
): Promise<{ program: Program; port: number; admin: string }> => {
  const port = await freePort();
  const all = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    ...settings,
  };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const program = Program.start(join(postgresFolder()!, 'postgres'), ['-D', data, ...flags], {
    cwd: data,
    asServer: true,
  });
  const admin = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await untilTrue('Postgres', program, () =>
    onDatabase(admin, async (client) => {
      const { rows } = await client.query<{ yes: boolean }>('select not pg_is_in_recovery() as yes');
      return rows[0]!.yes;
    }),
  );
  return { program, port, admin };
};

export const initPostgres = (folder: string, name: string, access: string): string => {
  const data = folderOfServer(folder, name);
  runPostgresTool('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync'], folder);
  writeFileSync(join(data, 'pg_hba.conf'), access);
  return data;
};

/** Starts a server that accepts other users than its superuser over TLS only. */
export const startPostgres = (folder: string): ReturnType<typeof launchPostgres> =>
  launchPostgres(
    initPostgres(
      folder,
      'postgres',
      'hostnossl all postgres 127.0.0.1/32 trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n',
    ),
    { ssl: 'on', ssl_cert_file: join(folder, 'server.pem'), ssl_key_file: join(folder, 'server.key') },
  );

export const onDatabase = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** PgBouncer with `deploy/pgbouncer/pgbouncer.ini`, and the addresses and paths of this run. */
export const startPooler = async (
  folder: string,
  postgresPort: number,
): Promise<{ program: Program; port: number }> => {
  const port = await freePort();
  const users = join(folder, 'userlist.txt');
  writeFileSync(users, `"lamppost_service" "${PASSWORD}"\n`);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    deployed('pgbouncer/pgbouncer.ini')
      .replace('host=postgres.internal port=5432', `host=localhost port=${postgresPort}`)
      .replace('0.0.0.0', '127.0.0.1')
      .replace('listen_port = 6432', `listen_port = ${port}`)
      .replaceAll('/etc/pgbouncer/', `${folder}/`),
  );
  const program = Program.start('pgbouncer', [file], { cwd: folder, asServer: true });
  await untilTrue('PgBouncer', program, () => Promise.resolve(/process up/.test(program.output)));
  return { program, port };
};

/** nginx with `deploy/nginx/lamppost.conf`, and the ports of this run. */
export class Proxy {
  private constructor(
    readonly program: Program,
    private readonly folder: string,
    private readonly ports: readonly number[],
    private readonly port: number,
  ) {}

  static async start(folder: string, ports: readonly number[], port: number): Promise<Proxy> {
    writeSite(folder, ports, port);
    const program = Program.start('nginx', ['-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
      cwd: folder,
    });
    await untilTrue(
      'nginx',
      program,
      async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).status === 404,
    );
    return new Proxy(program, folder, ports, port);
  }

  /** Sends new calls to all processes but one, once this has resolved. Running calls finish. */
  async leaveOut(member?: number): Promise<void> {
    writeSite(this.folder, this.ports, this.port, member);
    const leaving = /gracefully shutting down/g;
    const before = this.program.output.match(leaving)?.length ?? 0;
    this.program.signal('SIGHUP');
    await untilTrue('nginx', this.program, () =>
      Promise.resolve((this.program.output.match(leaving)?.length ?? 0) > before),
    );
  }

  /** The failures in the log, except those that a restart must cause. */
  get errors(): readonly string[] {
    return this.program.output.split('\n').filter((line) => line.includes('[error]'));
  }
}

const writeSite = (folder: string, ports: readonly number[], port: number, without?: number): void => {
  const servers = ports.map((one) => `\tserver 127.0.0.1:${one}${one === without ? ' down' : ''};\n`);
  const site = deployed('nginx/lamppost.conf')
    .replace(/(\tserver 127\.0\.0\.1:\d+[^\n]*\n)+/, servers.join(''))
    .replace('listen 8080', `listen 127.0.0.1:${port}`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off;\npid ${folder}/nginx.pid;\nerror_log stderr notice;\nworker_processes 1;\n` +
      `events { worker_connections 2048; }\nhttp {\naccess_log off;\n` +
      temporary.map((name) => `${name}_temp_path ${folder}/nginx-${name};\n`).join('') +
      `${site}}\n`,
  );
};
