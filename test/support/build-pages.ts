import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const CLIENT = join(ROOT, 'src', 'console', 'client');
const STAMP = join(ROOT, 'dist', '.pages-built-for-tests');

/** Makes what browsers load, when it has changed since it was last made here: once for a whole run, as all read it. */
export const buildPages = (): void => {
  const changedAt = Math.max(
    ...readdirSync(CLIENT, { recursive: true, encoding: 'utf8' }).map(
      (name) => statSync(join(CLIENT, name)).mtimeMs,
    ),
  );
  const builtAt = existsSync(STAMP) ? statSync(STAMP).mtimeMs : 0;
  if (changedAt < builtAt && existsSync(join(ROOT, 'dist', 'console', 'style.css'))) {
    return;
  }
  const began = new Date();
  const script = join(ROOT, 'tools', 'build-console.mjs');
  const { status, stdout } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The pages can't be built: ${stdout}`);
  writeFileSync(STAMP, '');
  utimesSync(STAMP, began, began);
};
