// Makes what the browser gets: modules out of src/console/client, one to one, and its style sheet. With `--watch` it
// goes on doing so.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, watch } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const CLIENT = join(ROOT, 'src', 'console', 'client');
const BUILT = join(ROOT, 'dist', 'console');
const STYLE = 'style.css';

const copy = () => {
  mkdirSync(BUILT, { recursive: true });
  cpSync(join(CLIENT, STYLE), join(BUILT, STYLE));
};

const watching = process.argv.includes('--watch');
const compiler = createRequire(import.meta.url).resolve('typescript/lib/tsc.js');
const more = watching ? ['--watch', '--preserveWatchOutput'] : [];

copy();
if (watching) watch(CLIENT, (_event, name) => name === STYLE && copy());
spawn(process.execPath, [compiler, '-p', CLIENT, ...more], { stdio: 'inherit' }).on('exit', (code) =>
  process.exit(code ?? 1),
);
