// Builds dist: the service from the files of tsconfig.build.json, with the texts beside them, and its pages from
// clients/console. It removes types without a check, so it takes a second or two; `npm run check` checks them. With
// `--watch` it rebuilds as files change. Unchanged files keep their age, and files without a source are deleted.
import { mkdirSync, existsSync, readFileSync, readdirSync, rmSync, watch, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import { BUNDLED, bundled } from './bundled.mjs';
import { isUnchanged, unlessUnchanged } from './unchanged.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const CLIENT = join('clients', 'console') + sep;

/** Whether a path, or a folder above it, matches one of these patterns. */
const among = (globs) => {
  const words = globs.map((glob) =>
    glob.replace(/[.]|\*\*\/|\*/g, (part) => ({ '.': '[.]', '**/': '(.*/)?', '*': '[^/]*' })[part]),
  );
  const pattern = new RegExp(`^(${words.join('|')})(/|$)`);
  return (file) => pattern.test(file.replaceAll(sep, '/'));
};

const readJson = (file) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const { include, exclude } = readJson('tsconfig.build.json');
const FOLDERS = [...include, 'docs/guides', 'clients/console'];
/** Files beside the code that the service reads at run time, or runs in a child process. */
const isAsset = (file) => /\.(md|json|css|cjs|html)$/.test(file);
const isExcluded = among(exclude);

/**
 * The compiler's options for browser modules. Each source becomes one file, without a bundler (ADR 9). `.swcrc` has the
 * options for the service itself.
 */
const PAGES = {
  swcrc: false,
  minify: true,
  module: { type: 'es6' },
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', tsx: true },
    transform: { react: { runtime: 'automatic', importSource: 'preact' } },
    rewriteRelativeImportExtensions: true,
  },
};

const isBuilt = (file) => !isExcluded(file) && (isAsset(file) || /\.tsx?$/.test(file));

const filesUnder = (folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));

const outputOf = (file) =>
  join('dist', file.startsWith(CLIENT) ? join('console', file.slice(CLIENT.length)) : file).replace(
    /\.tsx?$/,
    '.js',
  );

/** The outputs of one source, by their paths. */
const make = async (file) => {
  const output = outputOf(file);
  const path = join(ROOT, file);
  if (isAsset(file)) return [[output, readFileSync(path, 'utf8')]];
  const { transformFile } = await import('@swc/core');
  if (file.startsWith(CLIENT)) return [[output, (await transformFile(path, PAGES)).code]];
  // The client's package imports files with their extensions.
  const { code, map } = await transformFile(path, {
    cwd: ROOT,
    jsc: { rewriteRelativeImportExtensions: true },
  });
  const name = output.slice(output.lastIndexOf(sep) + 1);
  return [
    [output, `${code}\n//# sourceMappingURL=${name}.map\n`],
    [`${output}.map`, map],
  ];
};

const write = ([output, text]) => {
  const path = join(ROOT, output);
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

/**
 * Starts the service from its many files, with the code that Node 22.8 and later compiled at an earlier start. After a
 * change of anything in the one file of tools/bundle.mjs it replaces the faster start.
 */
const SERVICE = `#!/usr/bin/env node
require('node:module').enableCompileCache?.(require('node:path').join(__dirname, '.compile-cache'));
require('./src/cli.js');
`;

const build = async () => {
  const sources = FOLDERS.flatMap(filesUnder).filter(isBuilt);
  const made = (await Promise.all(sources.map(make))).flat();
  made.forEach(write);
  const current = new Set(made.map(([output]) => output));
  for (const folder of [...include, 'docs/guides', 'console'].map((name) => join('dist', name))) {
    for (const file of filesUnder(folder)) if (!current.has(file)) rmSync(join(ROOT, file));
  }
  if (!isUnchanged(BUNDLED, bundled)) write(['dist/service.js', SERVICE]);
};

const within = (folder, names) => names.map((name) => join(folder, name));

const files = {
  inputs: () => within(ROOT, [...FOLDERS, '.swcrc', 'tsconfig.build.json', 'tools/build.mjs']),
  outputs: () => [
    ...within(join(ROOT, 'dist'), [...include, 'docs/guides', 'console']),
    ...bundled.inputs(),
    ...bundled.outputs(),
  ],
};

await unlessUnchanged(join(ROOT, 'dist', '.built'), files, build);

if (process.argv.includes('--watch')) {
  let pending;
  const later = () => {
    clearTimeout(pending);
    pending = setTimeout(() => void build().catch((error) => console.error(String(error))), 100);
  };
  for (const folder of FOLDERS) watch(join(ROOT, folder), { recursive: true }, later);
}
