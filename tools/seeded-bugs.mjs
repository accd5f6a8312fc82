// Plants known mistakes one at a time in a copy of the tree, and runs the tests that should detect each. If no test
// detects a mistake, the tests are too weak. `npm run seeded-bugs` runs all bugs, or only those whose names contain the
// given words. `--check` runs no test, and reports each bug whose code or test file no longer exists. `--part 1/2` runs
// one half of the test files.
import { spawn, execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

import { BUGS as EARLIER_BUGS } from './seeded-bugs/bugs.mjs';
import { BUGS_OF_BYTES } from './seeded-bugs/holes-bytes.mjs';
import { CALLS_BUGS } from './seeded-bugs/holes-calls.mjs';
import { MONEY_BUGS } from './seeded-bugs/holes-money.mjs';
import { CONVERSATION_BUGS } from './seeded-bugs/holes-conversations.mjs';
import { HOLES_PEOPLE } from './seeded-bugs/holes-people.mjs';
import { OAUTH_BUGS } from './seeded-bugs/oauth.mjs';
import { PACKAGE_BUGS } from './seeded-bugs/packages.mjs';
import { TEAM_BUGS } from './seeded-bugs/teams.mjs';

const BUGS = [
  ...EARLIER_BUGS,
  ...BUGS_OF_BYTES,
  ...CALLS_BUGS,
  ...MONEY_BUGS,
  ...HOLES_PEOPLE,
  ...CONVERSATION_BUGS,
  ...OAUTH_BUGS,
  ...TEAM_BUGS,
  ...PACKAGE_BUGS,
];

const ROOT = join(import.meta.dirname, '..');
const given = process.argv.slice(2);
const onlyCheck = given.includes('--check');
const partAt = given.indexOf('--part');
const [part, parts] = partAt === -1 ? [1, 1] : given.splice(partAt, 2)[1].split('/').map(Number);
const words = given.filter((arg) => arg !== '--check').join(' ');
const named = BUGS.filter(({ name }) => name.includes(words));
/** All bugs of one test file are in the same part, because the file also runs once without any bug, for all of them. */
const files = [...new Set(named.map(({ tests: [file] }) => file))];
const bugs = named.filter(({ tests: [file] }) => files.indexOf(file) % parts === part - 1);

/** Copies the files that git would commit, in their present state, into a folder that no other process uses. */
const copyTree = () => {
  const copy = mkdtempSync(join(tmpdir(), 'lamppost-seeded-'));
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
  });
  for (const file of list
    .toString()
    .split('\0')
    .filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file));
  }
  for (const folder of ['', 'test/clients']) {
    const installed = join(ROOT, folder, 'node_modules');
    if (existsSync(installed)) symlinkSync(installed, join(copy, folder, 'node_modules'));
  }
  return copy;
};

/** One database server for all runs. A run takes half of the time without its own. */
const startServer = async () => {
  const child = spawn(
    process.execPath,
    ['-r', './tools/typescript.cjs', join('tools', 'seeded-bugs', 'server.ts')],
    { cwd: ROOT, stdio: ['pipe', 'pipe', 'inherit'] },
  );
  for await (const line of createInterface({ input: child.stdout })) {
    return { settings: JSON.parse(line), stop: () => child.stdin.end() };
  }
  throw new Error('The database server of the tests does not start.');
};

/** The test project of a file, as `testMatch` in package.json has it. Each further project would prepare its own run. */
const projectOf = (file) => {
  if (file.startsWith('src/')) return 'unit';
  return /^test\/(agents|browser|clients|faults|start|unkind)\//.test(file) ? 'processes' : 'service';
};

/** Ends what a run has left, because a bug may leave processes that never end by themselves. */
const endGroup = (pid) => {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left.
  }
};

/** Runs the matching tests of one file, and returns the results by name. Without a server, the run starts its own. */
const runTests = (copy, { file, pattern, server }) =>
  new Promise((resolve) => {
    const report = join(copy, 'seeded-report.json');
    rmSync(report, { force: true });
    const args = [
      '--runInBand',
      '--forceExit',
      '--selectProjects',
      projectOf(file),
      '--testPathPatterns',
      `${file}.ts`,
      '--testNamePattern',
      pattern,
    ];
    const child = spawn(join('node_modules', '.bin', 'jest'), [...args, '--json', '--outputFile', report], {
      cwd: copy,
      env: { ...process.env, ...server?.settings, NIGHTLY: 'true' },
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (bytes) => (said += bytes));
    child.on('exit', () => endGroup(child.pid));
    child.on('close', () => {
      const hasReport = existsSync(report);
      const { testResults = [] } = hasReport ? JSON.parse(readFileSync(report, 'utf8')) : {};
      const results = testResults.flatMap(({ assertionResults }) => assertionResults);
      // A file that cannot be loaded has no tests, and a process that ended early has no report. Both count as failed.
      const isBroken =
        !hasReport ||
        testResults.some(
          ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
        );
      resolve({ results, isBroken, said });
    });
  });

const countOf = (results, pattern, wanted) =>
  results.filter(({ fullName, status }) => status === wanted && new RegExp(pattern, 'i').test(fullName))
    .length;

/** The later migration that replaces the function which has this code, so that a bug in it changes nothing. */
const replacedIn = (file, find) => {
  if (!file.startsWith('migrations/')) return undefined;
  const before = readFileSync(join(ROOT, file), 'utf8').split(find, 1)[0];
  const name = [...before.matchAll(/function (\w+)\(/g)].at(-1)?.[1];
  const creation = new RegExp(`create (or replace )?function ${name}\\(`);
  return readdirSync(join(ROOT, 'migrations'))
    .map((later) => `migrations/${later}`)
    .find((later) => later > file && creation.test(readFileSync(join(ROOT, later), 'utf8')));
};

/** The reason why the tool can't plant a bug; undefined if it can. */
const staleBecause = ({ file, find, tests: [test] }) => {
  if (!existsSync(join(ROOT, file))) return `there is no ${file}`;
  const times = readFileSync(join(ROOT, file), 'utf8').split(find).length - 1;
  if (times !== 1) return `${file} holds its code ${times} times, not once`;
  const replaced = replacedIn(file, find);
  if (replaced !== undefined) return `${replaced} replaces the function of its code`;
  return existsSync(join(ROOT, `${test}.ts`)) ? undefined : `there is no ${test}.ts`;
};

if (onlyCheck) {
  const stale = bugs.flatMap((bug) => {
    const reason = staleBecause(bug);
    return reason === undefined ? [] : [`${bug.name}: ${reason}`];
  });
  for (const line of stale) console.log(line);
  console.log(`${bugs.length - stale.length} of ${bugs.length} bugs can be planted.`);
  process.exit(stale.length === 0 ? 0 : 1);
}

const plant = (copy, { file, find, replace }) => {
  const path = join(copy, file);
  const sound = readFileSync(path, 'utf8');
  if (sound.split(find).length !== 2) {
    throw new Error(`${file} holds this ${sound.split(find).length - 1} times, not once:\n${find}`);
  }
  writeFileSync(
    path,
    sound.replace(find, () => replace),
  );
  return () => writeFileSync(path, sound);
};

/** Runs the file once without any bug, for all bugs of this file. */
const soundRun = (copy, { tests: [file] }, server) => {
  const patterns = bugs.filter(({ tests }) => tests[0] === file).map(({ tests }) => tests[1]);
  return runTests(copy, { file, pattern: patterns.map((one) => `(?:${one})`).join('|'), server });
};

const judge = async (copy, bug, { soundRuns, server }) => {
  const [file, pattern] = bug.tests;
  if (!soundRuns.has(file)) soundRuns.set(file, await soundRun(copy, bug, server));
  const sound = soundRuns.get(file);
  const [passed, failed] = ['passed', 'failed'].map((status) => countOf(sound.results, pattern, status));
  if (failed > 0 || passed === 0)
    return `UNPROVEN (without the bug ${passed} tests pass and ${failed} fail)\n${sound.said.slice(-1_500)}`;
  const mend = plant(copy, bug);
  // A bug of the database's rules needs a database that was made with it.
  const own = bug.file.startsWith('migrations/');
  const { results, isBroken } = await runTests(copy, { file, pattern, ...(own ? {} : { server }) });
  mend();
  return isBroken || countOf(results, pattern, 'failed') > 0 ? 'caught' : 'SURVIVED';
};

const copy = copyTree();
const server = await startServer();
let caught = 0;
try {
  const soundRuns = new Map();
  for (const bug of bugs) {
    const started = Date.now();
    const verdict = await judge(copy, bug, { soundRuns, server });
    caught += verdict === 'caught' ? 1 : 0;
    console.log(`${verdict}: ${bug.name} (${((Date.now() - started) / 1_000).toFixed(0)} s)`);
  }
} finally {
  server.stop();
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${caught} of ${bugs.length} caught.`);
process.exit(caught === bugs.length ? 0 : 1);
