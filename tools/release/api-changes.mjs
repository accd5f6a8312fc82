// npm run api-changes -- [COMMIT]: the changes of the API since a commit, by the OpenAPI documents, as a part of the
// changelog. Without a commit it is the last release. `--check` fails if the changelog does not name a breaking change.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { apiChanges, changesText, unnamedBreaks } from './api-differences.mjs';

const DOCUMENTS = ['docs/openapi/agent.json', 'docs/openapi/account.json'];

/** The last release: its tag, or its commit in a clone without tags. Undefined before the first one. */
const lastRelease = (root) => {
  const git = (...words) => spawnSync('git', words, { cwd: root, encoding: 'utf8' }).stdout.trim();
  const tag = git('describe', '--tags', '--abbrev=0', '--match=v[0-9]*');
  if (tag !== '') return { commit: tag, version: tag };
  const [, commit, version] =
    /^(\w+) chore\(release\): (\S+)$/.exec(git('log', '-1', '--format=%H %s', '--grep=^chore(release): ')) ??
    [];
  return commit === undefined ? undefined : { commit, version };
};

const documentsAt = (root, commit) =>
  DOCUMENTS.map((name) =>
    JSON.parse(
      execFileSync('git', ['show', `${commit}:${name}`], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 }),
    ),
  );

const majorOf = (version) => version.replace(/^v/, '').split('.')[0];

/** The changes since the last release, or since a commit. It throws if the changelog does not name a breaking one. */
export const changesSince = (root, commit = lastRelease(root)?.commit) =>
  commit === undefined
    ? []
    : apiChanges(
        documentsAt(root, commit),
        DOCUMENTS.map((name) => JSON.parse(readFileSync(join(root, name), 'utf8'))),
      );

/** Throws if the changelog does not name a breaking change. Without a version, the next one may be a new major version. */
export const requireNames = (root, changes, version) => {
  const isMajor =
    version === undefined || majorOf(version) !== majorOf(lastRelease(root)?.version ?? version);
  const unnamed = unnamedBreaks(changes, readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), isMajor);
  if (unnamed.length === 0) return;
  const rule = isMajor
    ? 'Name each of these with its route in CHANGELOG.md, in the list "You must" for callers'
    : 'Only a new major version may have these, or an entry for callers that begins with **Security**';
  throw new Error(`${rule}:\n\n${changesText(unnamed)}`);
};

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { check: { type: 'boolean', default: false } },
  });
  const root = process.cwd();
  try {
    const changes = changesSince(root, positionals[0]);
    if (values.check) requireNames(root, changes);
    else console.log(changesText(changes) || 'No route has changed.');
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
