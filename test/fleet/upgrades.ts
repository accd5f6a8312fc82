// npm run upgrades [-- --last 10] [-- --from <commit>]: from each of the last ten versions of the schema to this one and
// back, under load. Each run of `npm run fleet` begins with the code before a migration. Old processes work on the new
// schema, then beside new ones, and then again alone. It needs the history of git.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(__dirname, '..', '..');
const { values } = parseArgs({
  options: { last: { type: 'string', default: '10' }, from: { type: 'string', multiple: true } },
});

const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const present = readdirSync(join(ROOT, 'migrations')).sort();

const migrationsOf = (commit: string): readonly string[] =>
  git('ls-tree', '--name-only', `${commit}:migrations`).split('\n');

/**
 * The last commits before each of the newest migrations. Commits with a migration that got another name before it landed
 * were never a version.
 */
const commitsBefore = (count: number): readonly string[] =>
  present.slice(-count).map((name) => {
    const added = git('log', '--diff-filter=A', '--format=%H', '--', join('migrations', name))
      .split('\n')
      .at(-1);
    let before = `${added}^`;
    while (!migrationsOf(before).every((one) => present.includes(one))) before += '^';
    return git('rev-parse', '--short', before);
  });

const packages = mkdtempSync(join(tmpdir(), 'lamppost-upgrades-'));
const failed: string[] = [];
try {
  for (const commit of values.from ?? commitsBefore(Number(values.last))) {
    const schema = migrationsOf(commit).at(-1);
    const began = Date.now();
    const run = ['-r', './tools/typescript.cjs', 'test/fleet/run.ts'];
    const options = ['--back', '--apis', '2', '--workers', '1', '--seconds', '20', '--packages', packages];
    const { status, stdout, stderr } = spawnSync(process.execPath, [...run, '--from', commit, ...options], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const [, calls = '?'] = /ok +(\d+) calls that were answered/.exec(stdout) ?? [];
    const seconds = Math.round((Date.now() - began) / 1_000);
    say(`${status === 0 ? 'ok    ' : 'FAILED'} ${commit} ${schema}: ${calls} charged calls, ${seconds} s`);
    if (status === 0) continue;
    failed.push(commit);
    say(`${stdout}${stderr}`.slice(-6_000));
  }
} finally {
  rmSync(packages, { recursive: true, force: true });
}
say(failed.length === 0 ? 'Each upgrade and each way back holds.' : `Failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
