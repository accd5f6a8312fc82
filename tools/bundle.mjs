// Makes dist/service.js, which starts the service and its commands from one file beside it, with the code that V8
// compiled before. Reading and compiling thousands of files is most of the time of a start. Run tools/build.mjs first.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { BUNDLED, bundled, oneFiles } from './bundled.mjs';
import { PACKAGES_APART, PACKAGES_MISSING } from './packages-apart.mjs';
import { unlessUnchanged } from './unchanged.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const DIST = join(ROOT, 'dist');
const LICENSES = join(DIST, 'third-party-licenses.txt');

const filesOf = (names) =>
  readdirSync(DIST, { recursive: true })
    .filter((file) => names.test(file.replaceAll('\\', '/')))
    .map((file) => join(DIST, file));

const exportsOf = (names) =>
  `() => [${filesOf(names).map((file) => `require(${JSON.stringify(file)})`)}]
    .flatMap((exported) => Object.values(exported)).filter((value) => typeof value === 'function')`;

/** Lists the classes that the service otherwise finds by file name, because a single file has no folders to search. */
const CLASSES = `
  exports.entityClasses = ${exportsOf(/^src\/.*\.entity\.js$/)};
  exports.migrationClasses = ${exportsOf(/^migrations\/\d+-[^.]*\.js$/)};`;

/**
 * A module that reads files beside itself must know its folder. This sets the folder relative to `dist`, which may be
 * anywhere.
 */
const withFolder = (path, text) =>
  `${/^#!.*\n/.exec(text)?.[0] ?? ''}const __dirname = require('node:path').join(__folder, ${JSON.stringify(relative(DIST, dirname(path)))});${text.replace(/^#!.*\n/, '')}`;

/** Go takes no backslash before a character that is not ASCII's. */
const OF_DIST = new RegExp(`^${DIST.replace(/(?=[\0-\x7f])\W/g, '\\$&')}.*\\.js$`);

const serviceFiles = {
  name: 'service files',
  setup: (bundler) => {
    bundler.onLoad({ filter: OF_DIST }, ({ path }) => {
      if (path === join(DIST, 'src', 'platform', 'database', 'classes.js')) return { contents: CLASSES };
      const text = readFileSync(path, 'utf8').replaceAll("module.require('", "require('");
      if (text.includes('module.require')) throw new Error(`${path} requires a file that has no fixed name.`);
      return { contents: text.includes('__dirname') ? withFolder(path, text) : text };
    });
  },
};

/**
 * Only regular expressions have other characters than ASCII's. Without them V8 keeps one byte for each character of the
 * file instead of two.
 */
const inAscii = (code) =>
  code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The folders of the packages whose code is in the bundle. */
const packageFolders = (inputs) => {
  const folders = Object.keys(inputs).flatMap(
    (input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input.replaceAll('\\', '/')) ?? [],
  );
  return [...new Set(folders)].sort().map((folder) => join(ROOT, folder));
};

/** Most licences require that their text is delivered with the code. */
const licenseOf = (folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${name} ${version} (${license})`, ...texts].join('\n\n');
};

const writeChanged = (file, content) => {
  if (!existsSync(file) || readFileSync(file, 'utf8') !== content) writeFileSync(file, content);
};

const bundle = async () => {
  const { build, transform } = await import('esbuild');
  const {
    outputFiles: [{ text }],
    metafile: { inputs },
  } = await build({
    entryPoints: [join(DIST, 'src', 'cli.js')],
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    keepNames: true,
    minifyWhitespace: true,
    legalComments: 'none', // They are in the file of licenses.
    banner: { js: '"use strict";const __folder=__dirname;' },
    logLevel: 'error',
    plugins: [serviceFiles],
    external: [...PACKAGES_APART, ...PACKAGES_MISSING].flatMap((name) => [name, `${name}/*`]),
  });
  const code = inAscii(text);
  const name = `service-${createHash('sha256').update(code).digest('hex').slice(0, 12)}.js`;
  writeChanged(join(DIST, name), code);
  const starter = readFileSync(join(DIST, 'src', 'start.js'), 'utf8');
  const define = { ONE_FILE: JSON.stringify(name) };
  writeChanged(
    join(DIST, 'service.js'),
    (await transform(starter, { define, minifyWhitespace: true, legalComments: 'none' })).code,
  );
  writeChanged(
    LICENSES,
    packageFolders(inputs)
      .map(licenseOf)
      .join(`\n\n${'-'.repeat(80)}\n\n`),
  );
  for (const file of oneFiles()) if (file !== name) rmSync(join(DIST, file));
  rmSync(join(DIST, '.compile-cache'), { recursive: true, force: true });
};

await unlessUnchanged(BUNDLED, bundled, bundle);
