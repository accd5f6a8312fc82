// Runs the unit specs, the start and the README's calls on each further supported Node, whose binaries are packages of
// npm. `node tools/node-versions.mjs 24` runs one version.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { installApart } from './install-apart.mjs';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = 'test/clients/runtimes';
const SYSTEM = `${process.platform}-${process.arch}`;

const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, FOLDER, 'package.json'), 'utf8'));
const versions = Object.keys(optionalDependencies).flatMap(
  (name) => /^node-(\d+)-(\w+-\w+)$/.exec(name)?.slice(1, 2) ?? [],
);
const wanted = process.argv.length > 2 ? process.argv.slice(2) : [...new Set(versions)];

const missing = installApart(FOLDER);
if (missing !== undefined) throw new Error(missing);

const runOn = (version) => {
  const bin = join(ROOT, FOLDER, 'node_modules', `node-${version}-${SYSTEM}`, 'bin');
  if (!existsSync(bin)) {
    console.log(`npm has no binary of Node ${version} for ${SYSTEM}.`);
    return true;
  }
  console.log(`\nUnit specs, the start and the README's calls on Node ${version}`);
  const jest = [
    join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js'),
    '--selectProjects',
    'unit',
    'processes',
    '--testPathPatterns',
    '/src/.*[.]spec[.]ts$|/test/start/readme[.]spec[.]ts$',
  ];
  const env = { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) };
  return spawnSync(join(bin, 'node'), jest, { cwd: ROOT, stdio: 'inherit', env }).status === 0;
};

process.exitCode = wanted.map(runOn).every(Boolean) ? 0 : 1;
