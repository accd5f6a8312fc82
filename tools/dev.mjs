// Runs the service and its pages, and rebuilds both when they change. The service restarts, and a page changes when it
// is loaded again.
import { spawn, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TOOLS = dirname(fileURLToPath(import.meta.url));
const BUILD = join(TOOLS, 'build.mjs');

if (spawnSync(process.execPath, [BUILD], { stdio: 'inherit' }).status !== 0) process.exit(1);

const children = [
  [BUILD, '--watch'],
  ['--watch', '--watch-preserve-output', join(TOOLS, '..', 'dist', 'src', 'main.js')],
].map((command) => spawn(process.execPath, command, { stdio: 'inherit' }));

// Ctrl-C reaches all processes. When one of them ends, the other is stopped.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => children.forEach((child) => child.kill(signal)));
for (const child of children) {
  child.on('exit', (code) => {
    children.forEach((other) => other.kill());
    process.exitCode ??= code ?? 0;
  });
}
