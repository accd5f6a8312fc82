import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { DataDirectory } from './data-directory';
import { waitUntilGone } from './postgres-server';

/**
 * Waits for this process to end, in whatever way, and then stops the server unless another process uses it. Each user
 * is a file named after its watchdog. Removing the folder succeeds only if it is empty, and after that no user can
 * enter, so the server never stops under a new user. A user without its file belonged to an earlier, dead server, and
 * leaves the new one's folder alone. Signals are ignored, because a terminal or a service manager sends them to every
 * process at once.
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

/** Our claim on the server: the server runs while there is one. */
export class EmbeddedServerUse {
  private constructor(
    private readonly watchdog: ChildProcess,
    private readonly directory: DataDirectory,
  ) {}

  /** Before a start: listed users belong to a server that is gone. */
  static reset(directory: DataDirectory): void {
    rmSync(join(directory.home, 'users'), { recursive: true, force: true });
    mkdirSync(join(directory.home, 'users'));
  }

  /** Undefined if the last user is just leaving and the server is about to stop. */
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
    // The pipe is a socket, which would keep the process alive while it is referenced.
    (watchdog.stdin as unknown as { unref?(): void } | null)?.unref?.();
    watchdog.stdin?.on('error', () => undefined);
    return new EmbeddedServerUse(watchdog, directory);
  }

  /** Names the server to stop. Before this, our end stops nothing. */
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
