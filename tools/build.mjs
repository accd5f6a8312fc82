// Makes dist: the service out of what tsconfig.build.json includes, with the texts beside them, and its pages
// out of clients/console. Types are stripped, not checked (`npm run check` does that), so it takes a second or two. With
// `--watch` it goes on as files change. What did not change keeps its age, and what has lost its source goes.
import { mkdirSync, existsSync, readFileSync, readdirSync, rmSync, watch, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import { transformFile } from '@swc/core';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const CLIENT = join('clients', 'console') + sep;

/** Whether a path, or a folder above it, is among these patterns. */
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
/** What stands beside the code, is no code and is read at run time. */
const isAsset = (file) => /\.(md|json|css)$/.test(file);
const isExcluded = among(exclude);

/** For browsers: modules one to one, without a bundler (ADR 9). The service itself is told by .swcrc. */
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

/** The texts that come of one source, by where they go. */
const make = async (file) => {
  const output = outputOf(file);
  const path = join(ROOT, file);
  if (isAsset(file)) return [[output, readFileSync(path, 'utf8')]];
  if (file.startsWith(CLIENT)) return [[output, (await transformFile(path, PAGES)).code]];
  // The package of clients names files with their endings.
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

const build = async () => {
  const sources = FOLDERS.flatMap(filesUnder).filter(isBuilt);
  const made = (await Promise.all(sources.map(make))).flat();
  made.forEach(write);
  const current = new Set(made.map(([output]) => output));
  for (const folder of [...include, 'docs/guides', 'console'].map((name) => join('dist', name))) {
    for (const file of filesUnder(folder)) if (!current.has(file)) rmSync(join(ROOT, file));
  }
};

await build();

if (process.argv.includes('--watch')) {
  let pending;
  const later = () => {
    clearTimeout(pending);
    pending = setTimeout(() => void build().catch((error) => console.error(String(error))), 100);
  };
  for (const folder of FOLDERS) watch(join(ROOT, folder), { recursive: true }, later);
}
