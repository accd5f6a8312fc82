// The service and the packages of clients/ have one version, which these files repeat. `node tools/release/versions.mjs`
// names the files that disagree with package.json.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Finds the version in each file. */
const PLACES = {
  'package.json': /(?<=^ {2}"version": ")[^"]+/gm,
  'package-lock.json': /(?<="name": "lamppost-service",\n +"version": ")[^"]+/g,
  'clients/typescript/package.json': /(?<=^ {2}"version": ")[^"]+/gm,
  'clients/typescript/src/version.ts': /(?<=VERSION = ')[^']+/g,
  'clients/python/pyproject.toml': /(?<=^version = ")[^"]+/gm,
  'clients/python/src/lamppost/__init__.py': /(?<=__version__ = ")[^"]+/g,
  'deploy/helm/Chart.yaml': /(?<=^(?:version|appVersion): ).+/gm,
};
/** Pages name the files of a release. */
const FILE_NAME = /(?<=\blamppost-(?:service-)?)\d+\.\d+\.\d+(?=\.tgz|\.image|\.sbom|-py3)/g;

const placesIn = (root) => {
  const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((page) => page !== '' && readFileSync(join(root, page), 'utf8').search(FILE_NAME) >= 0);
  return [...Object.entries(PLACES), ...pages.map((page) => [page, FILE_NAME])];
};

export const versionIn = (root) => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;

/** The files that do not have this version, or no version at all. */
const disagreeing = (root, version) =>
  placesIn(root).flatMap(([file, pattern]) => {
    const found = readFileSync(join(root, file), 'utf8').match(pattern) ?? ['none'];
    const wrong = found.filter((one) => one !== version);
    return wrong.length === 0 ? [] : [`${file} has the version ${wrong.join(', ')}, not ${version}`];
  });

/**
 * Writes the version into all files, and ends the section "Unreleased" of the changelog. The changes of the API become
 * the end of its part for callers.
 */
export const writeVersion = (root, version, date, apiChanges = '') => {
  const edit = (file, change) => {
    const path = join(root, file);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
  };
  for (const [file, pattern] of placesIn(root)) edit(file, (text) => text.replaceAll(pattern, version));
  const left = disagreeing(root, version);
  if (left.length > 0) throw new Error(left.join('\n'));
  edit('CHANGELOG.md', (text) => {
    if (!/^## Unreleased\n+###/m.test(text)) throw new Error('CHANGELOG.md has nothing under "Unreleased".');
    const [before, unreleased, after] = text.split(/^(## Unreleased\n[^]*?)(?=^## (?!Unreleased)|(?![^]))/m);
    const [callers = '### Callers\n'] = /^### Callers\n[^]*?(?=^### |(?![^]))/m.exec(unreleased) ?? [];
    const entries = unreleased.replace(callers, '').replace(/^## Unreleased\n+/, '');
    const withChanges = [callers.trim(), apiChanges.trim(), entries.trim()].filter(Boolean).join('\n\n');
    const heading = `## Unreleased\n\nNothing has changed since ${version}.\n\n## ${version} (${date})`;
    return `${before}${heading}\n\n${withChanges}\n${after === '' ? '' : `\n${after}`}`;
  });
};

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = join(import.meta.dirname, '..', '..');
  const problems = disagreeing(root, versionIn(root));
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
