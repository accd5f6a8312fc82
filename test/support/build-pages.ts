import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Makes what browsers load. The compiler's own record of what it built makes this quick when nothing has changed. */
export const buildPages = (): void => {
  const script = join(__dirname, '..', '..', 'tools', 'build-console.mjs');
  const { status, stdout } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The pages can't be built: ${stdout}`);
};
