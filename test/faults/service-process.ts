import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { freePort } from '../../tools/chain/free-port';
import { ONE_FILE } from '../support/build';

/** The settings that all processes of one deployment share: one secret, one public address. */
export const DEPLOYMENT = {
  NODE_ENV: 'test',
  ROLE: 'all',
  LOG_LEVEL: 'error',
  SIGNING_SECRET: 'a-secret-for-tests-only-0123456789abcdef',
  PUBLIC_URL: 'http://127.0.0.1:3999',
  RATE_LIMIT_ADDRESS: '0',
  RATE_LIMIT_MEDIA: '0',
  RATE_LIMIT_CHAT: '0',
  RATE_LIMIT_CHALLENGE: '0',
  RATE_LIMIT_FREE: '0',
  RATE_LIMIT_TOP_UP: '0',
  RATE_LIMIT_SIGN_IN: '0',
} as const;

const ODD_TIME = join(__dirname, 'odd-time.cjs');

/** A start takes two seconds on an idle machine. */
const START_MS_MAX = 60_000;

/** One real process of the service, which a test can kill. */
export class ServiceProcess {
  /** Its output so far. */
  said = '';

  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (bytes: Buffer) => (this.said += bytes.toString()));
    }
  }

  static async start(env: Readonly<Record<string, string>>): Promise<ServiceProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'lamppost-fault-'));
    const port = env['PORT'] ?? String(await freePort());
    const { PATH = '', HOME = '' } = process.env;
    // Few of these processes live long enough to benefit from V8's optimisation of hot code.
    const child = spawn(process.execPath, ['--no-opt', '--require', ODD_TIME, ONE_FILE], {
      cwd: folder,
      env: { PATH, HOME, ...DEPLOYMENT, DATA_DIR: folder, HOST: '127.0.0.1', PORT: port, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const service = new ServiceProcess(`http://127.0.0.1:${port}`, child, folder);
    try {
      await service.untilReady();
      return service;
    } catch (error) {
      await service.kill();
      throw error;
    }
  }

  private get alive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Throws if the process has ended. */
  get pid(): number {
    if (!this.alive) throw new Error(`The process has ended: ${this.said.slice(-2_000)}`);
    return this.child.pid!;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Kills the process in the middle of its work. */
  async kill(): Promise<void> {
    if (this.alive) {
      this.child.kill('SIGKILL');
      await once(this.child, 'exit');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Sends SIGTERM, waits until the process has finished its work, and returns its exit code. */
  async terminate(): Promise<number | null> {
    if (this.alive) {
      const gone = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await gone;
    }
    return this.child.exitCode;
  }

  private async untilReady(): Promise<void> {
    for (const until = Date.now() + START_MS_MAX; ; await pause(25)) {
      if (!this.alive || Date.now() > until) {
        throw new Error(`The service did not start: ${this.said}`);
      }
      const answer = await fetch(`${this.url}/health/live`).catch(() => undefined);
      if (answer?.status === 200) return;
    }
  }
}
