import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { withErrorListener } from '#kernel/with-error-listener';
import type { DataDirectory } from './data-directory';
import { waitUntilGone } from './postgres-server';

/**
 * The watchdog waits until this process ends, even by a crash. It then stops the server, unless another process uses
 * it. Each process that uses the server has a file named after its watchdog in the folder `users`. The watchdog stops
 * the server only after it has removed the folder. A folder with a file can't be removed, and no process can add a file
 * after the removal. So the server never stops while a new process begins to use it. A watchdog without its file
 * belonged to an earlier, dead server, so it must not touch the new server's folder. The watchdog ignores signals,
 * because a terminal or a service manager sends them to every process at once.
 */
const WATCHDOG = `
trap '' INT TERM HUP
read -r server
read -r nothing
rm "users/$$" 2>/dev/null || exit 1
for file in users/*; do
  kill -0 "\${file##*/}" 2>/dev/null || [ -d "/proc/\${file##*/}" ] || rm -f "$file"
done
rmdir users 2>/dev/null || exit 1
kill -INT "$server" 2>/dev/null`;

/** This process's use of the server. The server runs while any process uses it. */
export class EmbeddedServerUse {
  private constructor(
    private readonly watchdog: ChildProcess,
    private readonly directory: DataDirectory,
  ) {}

  /** Must be called before each start of the server. All listed users belong to an earlier server that has ended. */
  static reset(directory: DataDirectory): void {
    rmSync(join(directory.home, 'users'), { recursive: true, force: true });
    mkdirSync(join(directory.home, 'users'));
  }

  /** Registers this process as a user. Undefined if the last user has just left and the server is about to stop. */
  static claim(directory: DataDirectory): EmbeddedServerUse | undefined {
    const watchdog = withErrorListener(
      spawn('sh', ['-c', WATCHDOG], {
        cwd: directory.home,
        detached: true,
        stdio: ['pipe', 'ignore', 'ignore'],
      }),
    );
    try {
      writeFileSync(join(directory.home, 'users', String(watchdog.pid)), '');
    } catch {
      watchdog.kill('SIGKILL');
      return undefined;
    }
    watchdog.unref();
    // The pipe is a socket, and a referenced socket would keep this process alive.
    (watchdog.stdin as unknown as { unref?(): void } | null)?.unref?.();
    watchdog.stdin?.on('error', () => undefined);
    return new EmbeddedServerUse(watchdog, directory);
  }

  /**
   * Names the server that the watchdog must stop. If this process ends before this call, the watchdog stops nothing.
   */
  watch(pid: number): void {
    this.watchdog.stdin?.write(`${pid}\n`);
  }

  /** Ends our use, and waits until the server is down if nobody else uses it. */
  async release(pid: number): Promise<void> {
    this.watchdog.ref();
    this.watchdog.stdin?.end();
    if (this.watchdog.exitCode === null && this.watchdog.signalCode === null)
      await once(this.watchdog, 'exit');
    if (this.watchdog.exitCode === 0) await waitUntilGone(this.directory, pid, 30_000);
  }
}
