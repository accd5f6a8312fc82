// Each server under test runs in a separate process on one core, and the load comes from another core.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

const TICKS_PER_SECOND = 100;

export const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const pinned = (command, args) =>
  process.platform === 'linux' && availableParallelism() > 1
    ? ['taskset', ['-c', '0', command, ...args]]
    : [command, args];

/** Starts a server and waits until it answers at `path`. */
export const startServer = async ({ args, env = {}, port, path = '/' }) => {
  const [command, argv] = pinned(process.execPath, args);
  const child = spawn(command, argv, {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes));
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const url = `http://127.0.0.1:${port}`;
  for (const until = Date.now() + 30_000; ; await pause(25)) {
    if (child.exitCode !== null) throw new Error(`A server ended at once:\n${output.slice(-4_000)}`);
    if (
      await fetch(url + path).then(
        () => true,
        () => false,
      )
    )
      break;
    if (Date.now() > until) throw new Error(`A server does not answer:\n${output.slice(-4_000)}`);
  }
  return {
    url,
    pid: child.pid,
    output: () => output,
    cpuMicros: () => cpuMicros(child.pid),
    residentBytes: () => residentBytes(child.pid),
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
};

/** The kernel's figures about a process: the fields after its name in `/proc/PID/stat`. */
const accountsOf = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');

const microsIn = (ticks) => (ticks.reduce((sum, count) => sum + Number(count), 0) * 1e6) / TICKS_PER_SECOND;

/** The processor time of the threads that still run, in nanoseconds: `/proc/PID/stat` counts only hundredths of a second. */
const threadMicros = (pid) => {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce(
      (sum, id) =>
        sum + Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]) / 1e3,
      0,
    );
  } catch {
    return 0; // A thread has just ended, or the kernel has no such file.
  }
};

/** The processor time that the process itself has used so far. */
const cpuMicros = (pid) => Math.max(threadMicros(pid), microsIn(accountsOf(pid).slice(11, 13)));

/**
 * The processor time of a process and all its children, including those that have ended. `children` are the living
 * ones.
 */
export const familyCpuMicros = (children) => {
  const known = children.filter((pid) => existsSync(`/proc/${pid}/stat`));
  const parent = accountsOf(known[0])[1];
  const living = known.reduce((sum, pid) => sum + cpuMicros(pid), 0);
  return living + microsIn(accountsOf(parent).slice(11, 15));
};

const residentBytes = (pid) => {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) * 1_024;
};
