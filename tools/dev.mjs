// The service and its pages, both made anew as they change.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const nest = createRequire(import.meta.url).resolve('@nestjs/cli/bin/nest.js');
const pages = join(dirname(fileURLToPath(import.meta.url)), 'build-console.mjs');

const children = [
  [pages, '--watch'],
  [nest, 'start', '--watch'],
].map((command) => spawn(process.execPath, command, { stdio: 'inherit' }));

// Ctrl-C reaches all of them; whoever ends first takes the other along.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => children.forEach((child) => child.kill(signal)));
for (const child of children) {
  child.on('exit', (code) => {
    children.forEach((other) => other.kill());
    process.exitCode ??= code ?? 0;
  });
}
