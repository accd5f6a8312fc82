import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../../tools/chain/free-port';
import { ONE_FILE } from './build';

/**
 * The longest time of a start, on a machine that runs all tests meanwhile. An operator's start takes a fraction of it.
 */
const READY_WITHIN_MS = 60_000;

/** Whether a process runs. A zombie process counts as ended. */
export const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

const folders: string[] = [];

export const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-start-'));
  folders.push(folder);
  return folder;
};

export const removeFolders = (): void => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
};

/** The service as an operator starts it: a separate process of the built file, or of other words after `node`. */
export class BuiltService {
  stdout = '';
  stderr = '';
  private readonly gone: Promise<number | null>;

  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
    readonly dataDir: string,
  ) {
    child.stdout?.on('data', (bytes) => (this.stdout += String(bytes)));
    child.stderr?.on('data', (bytes) => (this.stderr += String(bytes)));
    this.gone = once(child, 'close').then(([code]) => code as number | null);
  }

  /** Starts without waiting. Settings of this machine are not passed on. */
  static async launch(
    env: Readonly<Record<string, string>> = {},
    words: readonly string[] = [ONE_FILE],
  ): Promise<BuiltService> {
    const dataDir = env['DATA_DIR'] ?? join(newFolder(), 'data');
    const port = env['PORT'] ?? String(await freePort());
    const child = spawn(process.execPath, words, {
      cwd: newFolder(), // A folder without a `.env` file.
      env: { PATH: process.env['PATH'], LOG_LEVEL: 'warn', PORT: port, DATA_DIR: dataDir, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new BuiltService(child, `http://127.0.0.1:${port}`, dataDir);
  }

  /** `words` are the arguments of `node`. */
  static async start(
    env: Readonly<Record<string, string>> = {},
    words?: readonly string[],
  ): Promise<BuiltService> {
    const service = await BuiltService.launch(env, words);
    await service.untilReady();
    return service;
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** The process id of the embedded server, from its own file. */
  get postgresPid(): number {
    return Number(readFileSync(join(this.dataDir, 'pg', 'data', 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
  }

  async untilReady(): Promise<void> {
    for (const until = Date.now() + READY_WITHIN_MS; Date.now() < until;) {
      if (this.child.exitCode !== null) throw new Error(`It ended: ${this.stderr}${this.stdout}`);
      const answer = await fetch(`${this.url}/health/ready`).catch(() => undefined);
      if (answer?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`It never got ready: ${this.stderr}${this.stdout}`);
  }

  /** Its exit code; null if a signal ended it. */
  ended(): Promise<number | null> {
    return this.gone;
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    return this.ended();
  }

  async post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(this.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: this.url, ...headers },
      body: JSON.stringify(body),
    });
  }

  /** A key with credits, made by the steps of the README. */
  async paidKey(): Promise<string> {
    const account = { email: 'someone@example.com', password: 'a long passphrase' };
    const registered = await this.post('/v1/account/register', account);
    const cookie = registered.headers.get('set-cookie')!.split(';')[0]!;
    const made = await this.post('/v1/account/keys', { name: 'one', expiresInDays: 30 }, { cookie });
    const { key } = (await made.json()) as { key: string };
    const opened = await this.post('/v1/account/billing/top-up', { usd: 5 }, { cookie });
    const { checkoutUrl } = (await opened.json()) as { checkoutUrl: string };
    await fetch(`${checkoutUrl}/pay`, { method: 'POST', redirect: 'manual' });
    return key;
  }
}
