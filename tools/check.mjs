// Runs every check except tests, all in parallel. It builds the documents with a temporary database.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { installApart } from './install-apart.mjs';

const ROOT = join(import.meta.dirname, '..');
const BINARIES = ['tools/checks', ''].map((folder) => join(ROOT, folder, 'node_modules', '.bin'));

/** The folders with packages that a check needs. The types of tests include those of their stock clients. */
const APART = {
  'lint and types': ['tools/checks', 'test/clients'],
  unused: ['tools/checks'],
  layers: ['tools/checks'],
};

const CHECKS = {
  format: ['oxfmt', '--check'],
  // One process reads the types, for the rules that need them and for the compiler’s own errors. It includes the pages
  // (ADR 17).
  'lint and types': [
    'oxlint',
    '--type-aware',
    '--type-check',
    '--quiet',
    'src',
    'test',
    'tools',
    'migrations',
    'bench',
    'examples',
    'clients',
  ],
  unused: ['knip', '--no-progress'],
  layers: [
    'depcruise',
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'err-long',
    'src',
    'migrations',
    'clients/console',
  ],
  ledger: ['node', 'tools/ledger-writes.mjs'],
  'the platform knows no feature': ['node', 'tools/platform-facts.mjs'],
  'background work': ['node', 'tools/background-timers.mjs'],
  'event streams': ['node', 'tools/event-streams.mjs'],
  words: ['node', 'tools/words.mjs'],
  links: ['node', 'tools/links.mjs'],
  versions: ['node', 'tools/release/versions.mjs'],
  'breaking changes are named': ['node', 'tools/release/api-changes.mjs', '--check'],
  'seeded bugs': ['node', 'tools/seeded-bugs.mjs', '--check'],
  documents: ['node', 'tools/openapi-lint.mjs'],
  'documents and types are those of the code': [
    'node',
    '-r',
    './tools/typescript.cjs',
    'tools/openapi.ts',
    '--check',
  ],
  'settings of vendors': ['node', '-r', './tools/typescript.cjs', 'tools/env-example.ts', '--check'],
  'locks, licences, secrets': ['node', 'tools/supply.mjs'],
};

const run = ([name, [command, ...args]]) =>
  new Promise((resolve) => {
    const started = Date.now();
    // This does not use npx, because npx takes a second to find the file.
    const file = process.platform === 'win32' ? `${command}.cmd` : command;
    const installed = BINARIES.map((folder) => join(folder, file)).find(existsSync);
    const program = command === 'node' ? process.execPath : installed;
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      // The path at which oxlint searches for the type checker.
      env: { ...process.env, PATH: [...BINARIES, process.env.PATH].join(delimiter) },
      shell: process.platform === 'win32',
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes));
    child.on('close', (code) =>
      resolve({ name, ok: code === 0, output, seconds: (Date.now() - started) / 1_000 }),
    );
  });

const missing = new Map(
  [...new Set(Object.values(APART).flat())].map((folder) => [folder, installApart(folder)]),
);
const reasonToSkip = (name) => APART[name]?.map((folder) => missing.get(folder)).find(Boolean);

const checks = Object.entries(CHECKS);
const results = await Promise.all(checks.filter(([name]) => reasonToSkip(name) === undefined).map(run));
for (const [name] of checks) {
  const reason = reasonToSkip(name);
  if (reason === undefined) continue;
  // Only CI needs every check: a machine without a network can still run the others.
  if (process.env.CI) results.push({ name, ok: false, output: reason, seconds: 0 });
  else console.log(`skip ${name}: ${reason}`);
}
for (const { name, ok, output, seconds } of results) {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name} (${seconds.toFixed(1)} s)`);
  if (!ok) console.log(output.trimEnd());
}
process.exit(results.every(({ ok }) => ok) ? 0 : 1);
