// The built service as one file, for tests that start and kill many: reading 3,400 files is most of what a start costs. What
// it does is the same; only how its own folders are found is told to it. Run after tools/build.mjs.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const DIST = join(ROOT, 'dist');

/** Binaries, and what looks for files of its own beside itself. */
const APART = [
  '@node-rs/argon2',
  '@swc/core',
  'h264-mp4-encoder',
  'mediabunny',
  'pino',
  'pino-pretty',
  'secp256k1',
  'sharp',
];

/** What the service looks for in its folders while it starts. */
const FOUND = readdirSync(DIST, { recursive: true })
  .filter((file) => /^src\/.*\.entity\.js$|^migrations\/\d+-[^.]*\.js$/.test(file))
  .map((file) => join(DIST, file));
const files = `{${FOUND.map((file) => `[${JSON.stringify(file)}]: () => require(${JSON.stringify(file)})`).join(',')}}`;

const ours = {
  name: 'our own files',
  setup: (maker) => {
    maker.onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (!path.startsWith(DIST)) return undefined;
      const text = readFileSync(path, 'utf8')
        .replace(/module[.]require[(]([(]0, _nodepath[.]join[)][(]folder, name[)])[)]/, `(${files})[$1]()`)
        .replaceAll("module.require('", "require('");
      if (text.includes('module.require'))
        throw new Error(`What ${path} asks for can't be told in one file.`);
      return {
        contents: `'use strict';const __dirname = ${JSON.stringify(dirname(path))};${text}`,
        loader: 'js',
      };
    });
    // What a library can do without and nobody has installed, it finds missing when it asks, as before.
    maker.onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (pluginData === 'asked' || APART.includes(path))
        return APART.includes(path) ? { external: true } : undefined;
      const { errors } = await maker.resolve(path, { kind, resolveDir, pluginData: 'asked' });
      return errors.length > 0 ? { external: true } : undefined;
    });
  },
};

const {
  outputFiles: [{ text }],
} = await build({
  entryPoints: [join(DIST, 'src', 'main.js')],
  bundle: true,
  write: false,
  platform: 'node',
  format: 'cjs',
  keepNames: true,
  minifyWhitespace: true,
  logLevel: 'error',
  plugins: [ours],
});

const FOLDER = join(DIST, 'one-file');
const FILE = join(FOLDER, 'main.js');
if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== text) {
  // What was compiled is of the text before.
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(FILE, text);
}
