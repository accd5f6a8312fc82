// A pair of Postgres servers under Patroni, with etcd and HAProxy, as docs/operations/second-database.md describes. It
// needs Debian's packages patroni, etcd-server, haproxy and postgresql-15.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { freePort } from './process.mjs';

const BIN = process.env.POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin';
const TTL_SECONDS = 10;

/** Postgres refuses to run as root. */
const ordinaryUser = () => {
  if (process.getuid() !== 0) return {};
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres']).toString());
  return { uid: id('-u'), gid: id('-g') };
};

const patroniConfig = ({ name, folder, etcd, rest, port }) => `
scope: lamppost
name: ${name}
restapi: { listen: '127.0.0.1:${rest}', connect_address: '127.0.0.1:${rest}' }
etcd3: { hosts: ['127.0.0.1:${etcd}'] }
bootstrap:
  dcs:
    ttl: ${TTL_SECONDS}
    loop_wait: 2
    retry_timeout: 3
    primary_start_timeout: 0
    synchronous_mode: true
    postgresql: { use_pg_rewind: true, parameters: { max_connections: 120, wal_log_hints: 'on' } }
  initdb: [{ encoding: UTF8 }, data-checksums]
  pg_hba: ['host all all 127.0.0.1/32 md5', 'host replication all 127.0.0.1/32 md5']
postgresql:
  listen: 127.0.0.1:${port}
  connect_address: 127.0.0.1:${port}
  data_dir: ${join(folder, name)}
  bin_dir: ${BIN}
  pgpass: ${join(folder, `${name}.pgpass`)}
  parameters: { unix_socket_directories: '${folder}' }
  authentication:
    superuser: { username: postgres, password: postgres }
    replication: { username: replicator, password: replicator }
`;

const haproxyConfig = (port, nodes) => `
global
  maxconn 400
defaults
  mode tcp
  timeout connect 3s
  timeout client 30m
  timeout server 30m
listen postgres
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map((node) => `  server ${node.name} 127.0.0.1:${node.port} check port ${node.rest}`).join('\n')}
`;

/** Starts the pair. `killPrimary` ends the primary and its Patroni as a lost machine would. */
export const startPair = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-pair-'));
  const user = ordinaryUser();
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const children = new Set();
  const start = (command, args) => {
    const child = spawn(command, args, {
      ...user,
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder },
      stdio: 'ignore',
      detached: true, // A group of its own, so that a whole server can be killed.
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  };

  const [etcd, peer, front] = [await freePort(), await freePort(), await freePort()];
  const own = (port) => `http://127.0.0.1:${port}`;
  mkdirSync(join(folder, 'etcd'), { mode: 0o700 });
  if (user.uid !== undefined) chownSync(join(folder, 'etcd'), user.uid, user.gid);
  start('etcd', [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${own(etcd)}`,
    `--advertise-client-urls=${own(etcd)}`,
    `--listen-peer-urls=${own(peer)}`,
    `--initial-advertise-peer-urls=${own(peer)}`,
    `--initial-cluster=default=${own(peer)}`,
  ]);
  const nodes = [];
  for (const name of ['one', 'two']) {
    const node = { name, folder, etcd, rest: await freePort(), port: await freePort() };
    node.config = join(folder, `${name}.yml`);
    writeFileSync(node.config, patroniConfig(node));
    chmodSync(node.config, 0o644);
    nodes.push(node);
  }
  writeFileSync(join(folder, 'haproxy.cfg'), haproxyConfig(front, nodes));

  const answers = async (node, path) =>
    fetch(`${own(node.rest)}/${path}`, { signal: AbortSignal.timeout(2_000) }).then(
      (answer) => answer.ok,
      () => false,
    );
  const found = async (what, look, seconds = 120) => {
    for (const until = Date.now() + seconds * 1_000; Date.now() < until; await pause(200)) {
      const result = await look();
      if (result) return result;
    }
    throw new Error(`${what}: not within ${seconds} seconds`);
  };
  const nodeAt = async (path) => {
    for (const node of nodes) if (await answers(node, path)) return node;
    return undefined;
  };
  const run = (node) => (node.child = start('patroni', [node.config]));

  run(nodes[0]);
  await found('a primary', () => nodeAt('primary'));
  run(nodes[1]);
  start('haproxy', ['-f', join(folder, 'haproxy.cfg'), '-db']);
  const settled = () => found('a synchronous standby', () => nodeAt('synchronous'));
  await settled();
  await pause(2_000); // HAProxy asks each second.

  const killGroup = (pid, signal) => {
    try {
      process.kill(-pid, signal);
    } catch {
      // It has ended.
    }
  };
  const postmasterOf = (node) => {
    const [line] = execFileSync('head', ['-1', join(folder, node.name, 'postmaster.pid')])
      .toString()
      .split('\n');
    return Number(line);
  };
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${front}/postgres`,
    settled,
    /** Ends a primary with `kill -9`. `revive` brings its machine back. */
    killPrimary: async () => {
      const node = await nodeAt('primary');
      const postmaster = postmasterOf(node);
      killGroup(node.child.pid, 'SIGKILL');
      process.kill(postmaster, 'SIGKILL');
      return { name: node.name, revive: () => run(node) };
    },
    stop: async () => {
      for (const node of nodes) killGroup(node.child.pid, 'SIGTERM');
      await pause(4_000);
      for (const child of children) killGroup(child.pid, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
