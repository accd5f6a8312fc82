import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { freePort } from '../../tools/chain/free-port';
import { isRunning, newFolder, removeFolders } from '../support/built-service';
import { expectEventually } from '../support/eventually';

const ROOT = join(__dirname, '..', '..');

afterAll(removeFolders);

const isServing = (url: string): Promise<boolean> =>
  fetch(`${url}/health/live`).then(
    ({ ok }) => ok,
    () => false,
  );

/** The command of the README, without a second build. */
const npmStart = async (): Promise<{ readonly npm: number; readonly url: string }> => {
  const port = String(await freePort());
  const child = spawn('npm', ['start', '--ignore-scripts'], {
    cwd: ROOT,
    stdio: 'ignore',
    env: { ...process.env, PORT: port, DATA_DIR: join(newFolder(), 'data'), LOG_LEVEL: 'silent' },
  });
  await once(child, 'spawn');
  const url = `http://127.0.0.1:${port}`;
  await expectEventually(() => isServing(url));
  return { npm: child.pid ?? 0, url };
};

describe('a service that npm has started', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)('ends with npm on %s', async (signal) => {
    const { npm, url } = await npmStart();

    process.kill(npm, signal);

    await expectEventually(() => !isRunning(npm));
    await expectEventually(async () => !(await isServing(url)));
  });
});
