import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, extname, join } from 'node:path';

import { type Options, transformSync } from '@swc/core';

const ROOT = join(__dirname, '..', '..');
const CACHE = join(ROOT, 'node_modules', '.cache', 'service-build');

const HOUR_MS = 3_600_000;

const OPTIONS: Options = {
  swcrc: false,
  module: { type: 'commonjs' },
  jsc: {
    target: 'es2022',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
};

const sources = (): string[] =>
  ['src', 'migrations'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.spec.ts'))
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1)),
  );

/** Another run may still start processes from its own, so only what nobody has made lately goes. */
const dropOldBuilds = (): void => {
  for (const name of existsSync(CACHE) ? readdirSync(CACHE) : []) {
    const folder = join(CACHE, name);
    if (Date.now() - statSync(folder).mtimeMs > HOUR_MS) rmSync(folder, { recursive: true, force: true });
  }
};

/**
 * The service as `npm run build` would make it, from the files as they are now: a stale `dist` would prove the code of
 * yesterday. It is kept by what went into it, so that only the first spec file of a run pays for it.
 */
export const buildService = (): string => {
  const files = sources().sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(readFileSync(join(ROOT, file)));
  const target = join(CACHE, hash.digest('hex').slice(0, 20));
  if (existsSync(target)) {
    return join(target, 'src', 'main.js');
  }
  dropOldBuilds();
  const building = join(CACHE, `building-${process.pid}`);
  for (const file of files) {
    const to = join(building, file);
    mkdirSync(dirname(to), { recursive: true });
    if (extname(file) !== '.ts') {
      cpSync(join(ROOT, file), to);
      continue;
    }
    const { code } = transformSync(readFileSync(join(ROOT, file), 'utf8'), { ...OPTIONS, filename: file });
    writeFileSync(to.replace(/\.ts$/, '.js'), code);
  }
  try {
    renameSync(building, target);
  } catch (error) {
    // Another run has made the very same one in the meantime.
    if (!existsSync(target)) throw error;
    rmSync(building, { recursive: true, force: true });
  }
  return join(target, 'src', 'main.js');
};
