import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { DataDirectory } from './data-directory';
import { waitUntilGone } from './postgres-server';

/**
 * Waits until this process ends, in whatever way, and then stops the server unless another process uses it. Each user
 * is a file named after its watchdog. The folder can be removed only if it is empty, and afterwards no user can enter.
 * So the server never stops while it gets a new user. A user without its file belonged to an earlier, dead server, and
 * does not touch the new server's folder. Signals are ignored, because a terminal or a service manager sends them to
 * every process at once.
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

/** Our use of the server. The server runs while anybody uses it. */
export class EmbeddedServerUse {
  private constructor(
    private readonly watchdog: ChildProcess,
    private readonly directory: DataDirectory,
  ) {}

  /** Called before a start: listed users belong to a server that has ended. */
  static reset(directory: DataDirectory): void {
    rmSync(join(directory.home, 'users'), { recursive: true, force: true });
    mkdirSync(join(directory.home, 'users'));
  }

  /** Undefined if the last user has just left and the server is about to stop. */
  static claim(directory: DataDirectory): EmbeddedServerUse | undefined {
    const watchdog = spawn('sh', ['-c', WATCHDOG], {
      cwd: directory.home,
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    try {
      writeFileSync(join(directory.home, 'users', String(watchdog.pid)), '');
    } catch {
      watchdog.kill('SIGKILL');
      return undefined;
    }
    watchdog.unref();
    // The pipe is a socket. While it is referenced, it would keep the process alive.
    (watchdog.stdin as unknown as { unref?(): void } | null)?.unref?.();
    watchdog.stdin?.on('error', () => undefined);
    return new EmbeddedServerUse(watchdog, directory);
  }

  /** Sets the server to stop. Before this call, our end stops nothing. */
  watch(pid: number): void {
    this.watchdog.stdin?.write(`${pid}\n`);
  }

  /** Ends our use, and waits until the server is down if nobody else uses it. */
  async release(pid: number): Promise<void> {
    this.watchdog.ref();
    this.watchdog.stdin?.end();
    if (this.watchdog.exitCode === null && this.watchdog.signalCode === null) {
      await once(this.watchdog, 'exit');
    }
    if (this.watchdog.exitCode === 0) {
      await waitUntilGone(this.directory, pid, 30_000);
    }
  }
}
