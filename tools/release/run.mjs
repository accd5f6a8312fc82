// `npm run release -- VERSION` makes a release. It writes the version and the section of the changelog, with the changes of
// the API, and makes the files twice in clean clones. The second build has another user, folder, clock, language and umask.
// If the bytes are equal, it takes over the commit and the tag. It writes the files, their sums and an in-toto statement
// into dist/release/VERSION.
//
// `--check` only compares, and changes nothing in this repository. `--image` also makes the image. `--modules FOLDER` links
// these installed packages, in place of `npm ci`. The steps are in docs/operations/release.md.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { changesText } from './api-differences.mjs';
import { changesSince, requireNames } from './api-changes.mjs';
import { versionIn, writeVersion } from './versions.mjs';

process.umask(0o022);

const ROOT = join(import.meta.dirname, '..', '..');
const NOBODY = 65_534;
/** Commands of npm inherit its settings, such as the folder of the first user's cache. */
const ENV = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: 'boolean', default: false },
    image: { type: 'boolean', default: false },
    modules: { type: 'string' },
  },
});
const [version = versionIn(ROOT)] = positionals;

const say = (line) => process.stdout.write(`${line}\n`);
const git = (cwd, ...args) => execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();
const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');
const isThere = (command) => spawnSync(command, ['--version']).error === undefined;

/** The second build differs in everything that must not matter. An image can only be built by root, at the real time. */
const variations = (home) => {
  const canBeNobody = process.getuid?.() === 0 && !values.image;
  const later = isThere('faketime') && !values.image ? ['faketime', '-f', '+40d'] : [];
  return [
    { folder: join('one', 'lamppost'), umask: '022', env: { TZ: 'UTC', LC_ALL: 'C' }, words: [] },
    {
      folder: join('two', 'a-longer-name', 'source'),
      umask: '077',
      env: { TZ: 'Pacific/Auckland', LC_ALL: 'C.UTF-8', HOME: home, USER: 'somebody' },
      words: later,
      uid: canBeNobody ? NOBODY : undefined,
    },
  ];
};

/** A clean clone at the commit of the release, with its tag. The date is that of the commit before. */
const prepare = (folder) => {
  git(ROOT, '-c', 'advice.detachedHead=false', 'clone', '--quiet', '--no-hardlinks', ROOT, folder);
  const epoch = git(folder, 'log', '-1', '--format=%ct');
  if (versionIn(folder) !== version) {
    const date = new Date(Number(epoch) * 1_000).toISOString().slice(0, 10);
    const changes = changesSince(folder);
    requireNames(folder, changes, version);
    writeVersion(folder, version, date, changesText(changes));
    const [name, email] = ['%cn', '%ce'].map((format) => git(folder, 'log', '-1', `--format=${format}`));
    const env = Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((who) => [
        [`GIT_${who}_NAME`, name],
        [`GIT_${who}_EMAIL`, email],
        [`GIT_${who}_DATE`, `@${epoch} +0000`],
      ]),
    );
    // A signature has the time at which it was made, so the second build would have another commit.
    const unsigned = ['commit', 'tag'].flatMap((what) => ['-c', `${what}.gpgSign=false`]);
    const commit = (...args) =>
      execFileSync('git', [...unsigned, ...args], { cwd: folder, env: { ...process.env, ...env } });
    commit('commit', '--quiet', '--all', '--message', `chore(release): ${version}`);
    commit('tag', '--annotate', `v${version}`, '--message', `Lamppost ${version}`);
  }
  return { commit: git(folder, 'rev-parse', 'HEAD'), epoch };
};

/** Links are fast, but only exist inside one file system. */
const copyModules = (from, to) => {
  const { status } = spawnSync('cp', ['--archive', '--link', from, to], { stdio: 'ignore' });
  if (status === 0) return;
  rmSync(to, { recursive: true, force: true });
  execFileSync('cp', ['--archive', from, to]);
};

/** Returns the sums of the files by their names. */
const build = (work, { folder, umask, env, words, uid }) => {
  const clone = join(work, folder);
  const out = join(work, `${folder.split('/')[0]}-files`);
  mkdirSync(out);
  const release = prepare(clone);
  if (values.modules === undefined) {
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: clone,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  } else copyModules(values.modules, join(clone, 'node_modules'));
  if (uid !== undefined) {
    execFileSync('chown', ['--recursive', '--no-dereference', `${uid}:${uid}`, join(work, 'home'), out]);
    // Packages stay, because links share them with another folder.
    const own = readdirSync(clone).filter((name) => name !== 'node_modules');
    execFileSync('chown', ['--recursive', `${uid}:${uid}`, ...own], { cwd: clone });
    execFileSync('chown', [`${uid}:${uid}`, '.'], { cwd: clone });
  }
  const command = [
    ...words,
    process.execPath,
    'tools/release/files.mjs',
    out,
    ...(values.image ? ['--image'] : []),
  ];
  const { status } = spawnSync('sh', ['-c', `umask ${umask} && exec "$@"`, 'sh', ...command], {
    cwd: clone,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...ENV, ...env, SOURCE_DATE_EPOCH: release.epoch },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  if (status !== 0) throw new Error(`The files could not be made in ${clone}.`);
  const sums = Object.fromEntries(
    readdirSync(out)
      .sort()
      .map((name) => [name, sha256(join(out, name))]),
  );
  return { ...release, clone, out, sums };
};

/** Says which bytes were made from which source, by which tools. It has no signature; release.md says how to add one. */
const statement = ({ commit, epoch, clone, sums }) => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: Object.entries(sums).map(([name, digest]) => ({ name, digest: { sha256: digest } })),
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {
    buildDefinition: {
      buildType: 'https://github.com/lamppost/lamppost/blob/main/docs/operations/release.md',
      externalParameters: { version, image: values.image },
      internalParameters: { SOURCE_DATE_EPOCH: Number(epoch) },
      resolvedDependencies: [
        {
          uri: `git+https://github.com/lamppost/lamppost@refs/tags/v${version}`,
          digest: { gitCommit: commit },
        },
        { name: 'package-lock.json', digest: { sha256: sha256(join(clone, 'package-lock.json')) } },
        { name: 'node', annotations: { version: process.version } },
        {
          name: 'npm',
          annotations: { version: execFileSync('npm', ['--version'], { encoding: 'utf8' }).trim() },
        },
      ],
    },
    runDetails: { builder: { id: 'https://github.com/lamppost/lamppost/blob/main/tools/release/run.mjs' } },
  },
});

/** A release has the number after the last one. The same number again is only for the same commit. */
const requireNumber = () => {
  if (!/^(?:(?:0|[1-9]\d*)\.){2}(?:0|[1-9]\d*)$/.test(version))
    throw new Error(`${version} is no version such as 1.0.0.`);
  const last = versionIn(ROOT);
  if (version.localeCompare(last, 'en', { numeric: true }) < 0)
    throw new Error(`${version} is before ${last}, the last version.`);
  if (version !== last) return;
  const tagged = spawnSync('git', ['rev-parse', '--quiet', '--verify', `refs/tags/v${version}^{commit}`], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (tagged.stdout.trim() !== git(ROOT, 'rev-parse', 'HEAD'))
    throw new Error(
      `This commit is not that of the tag v${version}. Name the next version, or run git checkout v${version}.`,
    );
};

const main = () => {
  requireNumber();
  if (git(ROOT, 'status', '--porcelain') !== '') throw new Error('There are changes that are not committed.');
  const work = mkdtempSync(join(tmpdir(), 'lamppost-release-'));
  try {
    chmodSync(work, 0o755);
    mkdirSync(join(work, 'home'));
    const [first, second] = variations(join(work, 'home')).map((variation) => build(work, variation));
    const names = [...new Set([...Object.keys(first.sums), ...Object.keys(second.sums)])];
    const different = names.filter((name) => first.sums[name] !== second.sums[name]);
    for (const name of names) say(`${first.sums[name]}  ${name}`);
    if (different.length > 0 || first.commit !== second.commit)
      throw new Error(`The second build has other bytes: ${different.join(', ')}`);
    say('Both builds have the same bytes.');
    if (values.check) return;

    const target = join(ROOT, 'dist', 'release', version);
    rmSync(target, { recursive: true, force: true });
    cpSync(first.out, target, { recursive: true });
    const about = `lamppost-${version}.intoto.json`;
    writeFileSync(join(target, about), `${JSON.stringify(statement(first), null, 2)}\n`);
    const sums = { ...first.sums, [about]: sha256(join(target, about)) };
    const lines = Object.entries(sums).map(([name, sum]) => `${sum}  ${name}\n`);
    writeFileSync(join(target, 'SHA256SUMS'), lines.join(''));
    if (git(ROOT, 'rev-parse', 'HEAD') !== first.commit) {
      git(ROOT, 'fetch', '--quiet', first.clone, `refs/tags/v${version}:refs/tags/v${version}`);
      git(ROOT, 'merge', '--quiet', '--ff-only', `v${version}`);
    }
    say(`dist/release/${version} has the files. Push the commit and the tag v${version}.`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
};

try {
  main();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
