import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, isPortFree } from './free-port';

export interface AnvilOptions {
  /** The port; by default a free one. */
  readonly port?: number;
  /**
   * The seconds between two blocks. By default, each transaction gets a block at once. Base makes a block every 2
   * seconds.
   */
  readonly blockTimeSeconds?: number;
  readonly accountCount: number;
  /** The chain id; by default that of Base. */
  readonly chainId?: number;
}

export interface AnvilProcess {
  readonly rpcUrl: string;
  readonly pid: number;
  /** Resolves when the node has exited, for any reason. */
  readonly exited: Promise<void>;
  stop(): Promise<void>;
}

/** Base's chain id, so that signatures for the real network are valid here. */
export const CHAIN_ID = 8453;

/** The caller named the port, and another process listens there. */
export class PortTakenError extends Error {
  constructor(readonly port: number) {
    super(`Port ${port} of 127.0.0.1 is taken. Stop what listens there, or choose another port.`);
  }
}

const START_SECONDS_MAX = 30;
const POLL_MS = 10;
const LAUNCH_TRIES = 5;
const STDERR_KEPT_CHARACTERS = 2_000;
// The fee is close to Base’s 0.01 gwei. Its last digits are random for each chain.
const BASE_FEE_WEI = 10_000_000;
const BASE_FEE_MARKS = 1_000_000;

/** A handle keeps this process alive while it is referenced. Node’s types do not declare these methods for pipes. */
interface Handle {
  ref(): void;
  unref(): void;
}

const running = new Set<ChildProcess>();
const killRunning = (): void => running.forEach((child) => child.kill('SIGKILL'));

const remember = (child: ChildProcess): void => {
  if (running.size === 0) {
    process.on('exit', killRunning);
  }
  running.add(child);
};

const forget = (child: ChildProcess): void => {
  running.delete(child);
  if (running.size === 0) {
    process.removeListener('exit', killRunning);
  }
};

/** Starts anvil and resolves when it answers. Anvil ends when this process ends, even after a crash. */
export const startAnvil = async (options: AnvilOptions): Promise<AnvilProcess> => {
  if (options.port !== undefined) {
    if (!(await isPortFree(options.port))) {
      throw new PortTakenError(options.port);
    }
    return launch(options, options.port);
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await launch(options, await freePort());
    } catch (error) {
      if (attempt === LAUNCH_TRIES || !String(error).includes('Address already in use')) {
        throw error;
      }
    }
  }
};

const launch = async (options: AnvilOptions, port: number): Promise<AnvilProcess> => {
  // The fee of the first block distinguishes our node from another node that took the port during the start.
  const baseFee = BASE_FEE_WEI + randomInt(BASE_FEE_MARKS);
  // The node is detached from the terminal. Ctrl-C must reach only the service, which then stops the chain.
  const child = spawn(anvilBinary(), flags(options, port, baseFee), {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const watchdog = watch(child);
  remember(child);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk).slice(-STDERR_KEPT_CHARACTERS)));
  let isGone = false;
  const exited = new Promise<void>((resolve) => {
    const gone = (error?: Error): void => {
      stderr += error?.message ?? '';
      isGone = true;
      forget(child);
      watchdog?.kill('SIGKILL');
      resolve();
    };
    child.once('error', gone);
    child.once('close', () => gone());
  });
  const handles: readonly Handle[] = [child, child.stderr as unknown as Handle];
  const stop = async (): Promise<void> => {
    handles.forEach((handle) => handle.ref());
    child.kill('SIGKILL'); // The chain is only in memory, so there is nothing to flush.
    await exited;
  };

  const rpcUrl = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + START_SECONDS_MAX * 1_000;
  while (!(await isOurs(rpcUrl, baseFee))) {
    if (isGone || Date.now() > deadline) {
      await stop();
      throw new Error(`The local chain did not start on port ${port}: ${stderr.trim() || 'no answer'}`);
    }
    await pause(POLL_MS);
  }
  // From here on, the handles do not keep this process alive. If a caller forgets to stop the chain, the exit handler
  // stops it.
  handles.forEach((handle) => handle.unref());
  return { rpcUrl, pid: child.pid ?? 0, exited, stop };
};

const flags = (options: AnvilOptions, port: number, baseFee: number): string[] => [
  '--host=127.0.0.1',
  `--port=${port}`,
  `--chain-id=${options.chainId ?? CHAIN_ID}`,
  `--accounts=${options.accountCount}`,
  `--block-base-fee-per-gas=${baseFee}`,
  '--threads=1',
  '--silent',
  ...(options.blockTimeSeconds === undefined ? [] : [`--block-time=${options.blockTimeSeconds}`]),
];

/**
 * Finds the binary in the platform’s own package. The wrapper package needs a postinstall script, and some npm
 * configurations run no scripts.
 */
const anvilBinary = (): string => {
  const cpu = process.arch === 'x64' ? 'amd64' : process.arch;
  const packageName = `@foundry-rs/anvil-${process.platform}-${cpu}`;
  const file = process.platform === 'win32' ? 'anvil.exe' : 'anvil';
  try {
    const paths = [__dirname, path.dirname(require.resolve('@foundry-rs/anvil/package.json'))];
    return path.join(path.dirname(require.resolve(`${packageName}/package.json`, { paths })), 'bin', file);
  } catch (cause) {
    throw new Error(
      `There is no local chain for ${process.platform} ${process.arch}: the package ${packageName} is not installed. ` +
        'It exists for Linux and macOS on x64 and arm64 and for Windows on x64; npm must install optional dependencies.',
      { cause },
    );
  }
};

/**
 * A shell that waits on a pipe. Only this process has the other end of the pipe. The kernel closes it even after kill
 * -9, which runs no handlers. The shell then kills the node.
 */
const watch = (child: ChildProcess): ChildProcess | undefined => {
  if (process.platform === 'win32' || child.pid === undefined) {
    return undefined;
  }
  const script = `while read -r line; do :; done; kill -9 ${child.pid} 2>/dev/null`;
  const watchdog = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  watchdog.on('error', () => undefined);
  watchdog.stdin.on('error', () => undefined);
  watchdog.unref();
  (watchdog.stdin as unknown as Handle).unref();
  return watchdog;
};

const isOurs = async (rpcUrl: string, baseFee: number): Promise<boolean> => {
  const body = { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: ['0x0', false] };
  try {
    const answer = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(1_000),
    });
    const { result } = (await answer.json()) as { result?: { baseFeePerGas?: string } };
    return Number(result?.baseFeePerGas) === baseFee;
  } catch {
    return false;
  }
};
