// node deploy/try-image.mjs [IMAGE.tar]: runs the image of a release as compose.yaml does, and pays calls. The migrations, an
// API process and a worker are containers of an ordinary user with a read-only root and no capabilities. Postgres and
// Redis run beside them, from Debian's packages (podman, runc, postgresql, redis-server). It needs root for these only.
// Without an archive it makes the image of the present source (mmdebstrap). If a program is missing, it exits with 2.
//
// These parts of Compose are not tried: its networks, Caddy, the S3-compatible store and Docker's health check. Here both
// containers share one volume, and the command of the health check runs in the container.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const ROOT = join(import.meta.dirname, '..');
const [given] = process.argv.slice(2);
const HOMES = '/usr/lib/postgresql';
const newest = existsSync(HOMES)
  ? readdirSync(HOMES)
      .sort((a, b) => a - b)
      .at(-1)
  : undefined;
const missing = [
  ...['podman', 'runc', 'redis-server', ...(given === undefined ? ['mmdebstrap'] : [])].filter(
    (name) => spawnSync(name, ['--version']).error !== undefined,
  ),
  ...(newest === undefined ? ['postgresql'] : []),
];
if (missing.length > 0 || process.getuid() !== 0) {
  console.error(
    `Not tried, missing: ${[...missing, ...(process.getuid() === 0 ? [] : ['root'])].join(', ')}`,
  );
  process.exit(2);
}

const work = mkdtempSync(join(tmpdir(), 'lamppost-image-'));
chmodSync(work, 0o755);
const stops = [];
const say = (line) => console.log(line);
const hold = (claim, holds, more) => {
  if (!holds) throw new Error(`${claim}: ${JSON.stringify(more)}`);
  say(`ok  ${claim}`);
};

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const eventually = async (what, holds) => {
  for (const until = Date.now() + 60_000; Date.now() < until; await pause(200)) {
    const value = await Promise.resolve()
      .then(holds)
      .catch(() => undefined);
    if (value) return value;
  }
  throw new Error(`${what} did not happen within a minute.`);
};

/** Its own storage, so that nothing of this machine's images and containers changes. */
const PODMAN = [
  `--root=${work}/storage`,
  `--runroot=${work}/run`,
  '--storage-driver=vfs',
  '--runtime=runc',
  '--cgroup-manager=cgroupfs',
  '--events-backend=none',
];
const podman = (...args) =>
  execFileSync('podman', [...PODMAN, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();

const asServer = (program, ...args) => ['runuser', ['-u', 'postgres', '--', program, ...args]];

const startPostgres = async (password) => {
  const bin = join(HOMES, newest, 'bin');
  const [data, port] = [join(work, 'postgres'), await freePort()];
  execFileSync('install', ['-d', '-o', 'postgres', '-m', '700', data]);
  execFileSync(...asServer(join(bin, 'initdb'), '-D', data, '--auth=trust', '--encoding=UTF8'));
  const options = ['-D', data, '-p', port, '-k', '', '-h', '127.0.0.1', '-c', 'max_connections=200'].map(
    String,
  );
  const child = spawn(...asServer(join(bin, 'postgres'), ...options), { stdio: 'ignore' });
  stops.push(async () => {
    const ended = new Promise((resolve) => void child.once('exit', resolve));
    execFileSync(...asServer(join(bin, 'pg_ctl'), 'stop', '-D', data, '-m', 'fast', '-s'));
    await ended;
  });
  const psql = (sql) => {
    const [program, args] = asServer('psql', '-qh', '127.0.0.1', '-p', `${port}`, '-c', sql);
    return execFileSync(program, args, { stdio: 'pipe' });
  };
  await eventually('The start of Postgres', () => psql('select 1'));
  psql(`create role lamppost login password '${password}'`);
  psql('create database lamppost owner lamppost');
  return `postgres://lamppost:${password}@127.0.0.1:${port}/lamppost`;
};

const startRedis = async () => {
  const port = await freePort();
  const options = [
    '--port',
    port,
    '--bind',
    '127.0.0.1',
    '--dir',
    work,
    '--save',
    '',
    '--maxmemory-policy',
    'noeviction',
  ];
  const child = spawn('redis-server', options.map(String), { stdio: 'ignore' });
  stops.push(() => child.kill() && new Promise((resolve) => void child.once('exit', resolve)));
  return `redis://127.0.0.1:${port}`;
};

/** The image of the present source, as a release makes it. */
const makeArchive = async () => {
  const { makeImage } = await import('../tools/release/image.mjs');
  const { versionIn } = await import('../tools/release/versions.mjs');
  execFileSync('npm', ['pack', '--silent', '--pack-destination', work], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const tarball = join(
    work,
    readdirSync(work).find((name) => name.endsWith('.tgz')),
  );
  const file = join(work, 'image.tar');
  makeImage({ tarball, file, version: versionIn(ROOT), epoch: Math.floor(Date.now() / 1_000) });
  return file;
};

const main = async () => {
  const archive = given ?? (await makeArchive());
  podman('load', '--input', archive);
  const image = podman('images', '--format={{.Repository}}:{{.Tag}}').split('\n')[0];
  say(`    ${image}`);
  const secret = () => randomBytes(32).toString('hex');
  const settings = { DATABASE_URL: await startPostgres(secret()), REDIS_URL: await startRedis() };
  // The settings to fill in, as an operator does.
  const example = readFileSync(join(import.meta.dirname, 'settings.env.example'), 'utf8');
  for (const [, name] of example.matchAll(/^([A-Z_]+)=$/gm)) settings[name] = secret();
  const [port, workerPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  settings.PUBLIC_URL = url;

  /** The options of `x-service` in compose.yaml. Builders may not have their default limits. */
  const container = (name, env, ...command) => [
    `--name=lamppost-${name}`,
    '--network=host',
    '--read-only',
    '--read-only-tmpfs=false',
    '--tmpfs=/tmp',
    '--volume=lamppost-data:/data',
    '--cap-drop=ALL',
    '--security-opt=no-new-privileges',
    '--stop-timeout=35',
    '--ulimit=nofile=20000:20000',
    '--ulimit=nproc=4096:4096',
    ...Object.entries({ ...settings, HOST: '127.0.0.1', ...env }).map(
      ([key, value]) => `--env=${key}=${value}`,
    ),
    image,
    ...command,
  ];
  podman('run', '--rm', ...container('migrate', {}, 'node', 'dist/service.js', 'migrate'));
  hold('the migrations are applied', true);
  stops.push(() => podman('rm', '--all', '--force', '--time=0'));
  podman('run', '--detach', ...container('api', { ROLE: 'api', PORT: port }));
  podman('run', '--detach', ...container('worker', { ROLE: 'worker', PORT: workerPort }));
  for (const one of [port, workerPort])
    await eventually(
      `A healthy process at ${one}`,
      async () => (await fetch(`http://127.0.0.1:${one}/health/ready`)).ok,
    );
  hold('the API and the worker are ready', true);

  const look = `const fs = require('node:fs');
    const write = (path) => { try { fs.writeFileSync(path, ''); return 'written'; } catch (error) { return error.code; } };
    const status = fs.readFileSync('/proc/1/status', 'utf8');
    console.log(JSON.stringify([process.getuid(), ...['Uid', 'CapEff'].map((name) => new RegExp(name + ':\\\\s+(\\\\w+)').exec(status)[1]),
      write('/app/x'), write('/etc/x'), write('/data/x'), write('/tmp/x')]))`;
  const seen = JSON.parse(podman('exec', 'lamppost-api', 'node', '-e', look));
  hold(
    'it is user 1000 without capabilities, and writes only to /data and /tmp',
    JSON.stringify(seen) ===
      JSON.stringify([1000, '1000', '0000000000000000', 'EROFS', 'EROFS', 'written', 'written']),
    seen,
  );
  const config = JSON.parse(podman('image', 'inspect', image))[0].Config;
  const check = /HEALTHCHECK[^]*?CMD (\[.*\])$/m.exec(
    readFileSync(join(import.meta.dirname, 'Dockerfile'), 'utf8'),
  )[1];
  podman('exec', 'lamppost-api', ...JSON.parse(check));
  hold('the health check passes', config.User === 'node', config);

  const post = async (path, body, headers = {}) => {
    const answer = await fetch(new URL(path, url), {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', origin: url, ...headers },
      body: JSON.stringify(body),
    });
    if (answer.status >= 400) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const account = await post('/v1/account/register', {
    email: 'you@example.com',
    password: 'a long passphrase',
  });
  const cookie = account.headers.get('set-cookie').split(';')[0];
  const { key } = await (
    await post('/v1/account/keys', { name: 'first', expiresInDays: 30 }, { cookie })
  ).json();
  const { checkoutUrl } = await (await post('/v1/account/billing/top-up', { usd: 5 }, { cookie })).json();
  await post(`${checkoutUrl}/pay`, {});
  const headers = { 'x-api-key': key };
  const picture = await post('/v1/agent/generate', { prompt: 'A red fox in the snow' }, headers);
  const made = await picture.json();
  hold('a picture is paid', picture.headers.get('x-charge-state') === 'charged', made);
  const file = await fetch(made.url);
  hold('its file is there', file.ok && (await file.arrayBuffer()).byteLength > 1_000, file.status);
  const receipt = await (
    await fetch(`${url}/v1/agent/charges/${picture.headers.get('x-charge-id')}`, { headers })
  ).json();
  hold('it has a receipt', JSON.stringify(receipt).includes(picture.headers.get('x-charge-id')), receipt);
  const { id } = await (await post('/v1/agent/videos', { prompt: 'A red fox runs' }, headers)).json();
  await eventually(
    'The film',
    async () => (await (await fetch(`${url}/v1/agent/jobs/${id}`)).json()).status === 'done',
  );
  hold('the worker has made a film', true);

  for (const name of ['api', 'worker']) {
    podman('stop', `lamppost-${name}`);
    const code = podman('inspect', '--format={{.State.ExitCode}}', `lamppost-${name}`);
    hold(`the ${name} stops by itself after SIGTERM`, code === '0', code);
  }
};

try {
  await main();
  say('The image works.');
} catch (error) {
  console.error(`FAILED  ${error.message}\n${error.stderr ?? ''}`);
  process.exitCode = 1;
} finally {
  for (const stop of stops.reverse())
    await Promise.resolve()
      .then(stop)
      .catch((error) => console.error(String(error)));
  rmSync(work, { recursive: true, force: true });
}
