// `npm pack` runs this before and after it packs. Before the packing, it builds dist/service.js, reduces package.json
// to the needs of an installed package, and writes the exact versions into npm-shrinkwrap.json. Afterwards, it restores
// package.json.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGES_APART } from './packages-apart.mjs';

const ROOT = join(import.meta.dirname, '..');
const MANIFEST = join(ROOT, 'package.json');
const SAVED = join(ROOT, 'dist', 'package.json.saved');
const SHRINKWRAP = join(ROOT, 'npm-shrinkwrap.json');

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

const restore = () => {
  if (existsSync(SAVED)) renameSync(SAVED, MANIFEST);
  rmSync(SHRINKWRAP, { force: true });
};

const lock = readJson(join(ROOT, 'package-lock.json'));

const installedVersion = (name) => lock.packages[`node_modules/${name}`].version;

/** The folder of a package that the package at `path` requires: below that package, or in a folder above it. */
const placeOf = (name, path) => {
  const folders =
    path === ''
      ? ['']
      : path.split('/node_modules/').map((_, at, all) => all.slice(0, at + 1).join('/node_modules/'));
  const places = ['', ...folders].map((folder) => `${folder}${folder === '' ? '' : '/'}node_modules/${name}`);
  return places.findLast((place) => place in lock.packages);
};

/** The locked packages of these dependencies, recursively, so that an installed package has the tested versions. */
const closureOf = (names) => {
  const found = new Map();
  const visit = (name, path) => {
    const place = placeOf(name, path);
    if (place === undefined || found.has(place)) return;
    const { dev: _, devOptional: __, ...entry } = lock.packages[place];
    found.set(place, entry);
    const { dependencies, optionalDependencies } = entry;
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) visit(needed, place);
  };
  for (const name of names) visit(name, '');
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
};

const packed = ({ name, version, description, license, engines, bin, files, optionalDependencies }) => ({
  name,
  version,
  description,
  license,
  engines,
  bin,
  files: [...files, 'npm-shrinkwrap.json'],
  dependencies: Object.fromEntries(PACKAGES_APART.map((apart) => [apart, installedVersion(apart)])),
  // These contain Postgres for each kind of machine, and npm installs the one that fits.
  optionalDependencies,
});

restore(); // If an earlier run was interrupted, package.json is still reduced.
if (!process.argv.includes('--restore')) {
  for (const tool of ['build.mjs', 'bundle.mjs'])
    execFileSync(process.execPath, [join(ROOT, 'tools', tool)], { stdio: 'inherit' });
  const manifest = packed(readJson(MANIFEST));
  const { name, version, dependencies, optionalDependencies } = manifest;
  copyFileSync(MANIFEST, SAVED);
  writeJson(MANIFEST, manifest);
  writeJson(SHRINKWRAP, {
    name,
    version,
    lockfileVersion: lock.lockfileVersion,
    requires: true,
    packages: { '': manifest, ...closureOf(Object.keys({ ...dependencies, ...optionalDependencies })) },
  });
}
