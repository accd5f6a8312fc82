#!/usr/bin/env node
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import Module from 'node:module';
import { dirname, join } from 'node:path';
import { cachedDataVersionTag, setFlagsFromString } from 'node:v8';
import { Script, constants } from 'node:vm';
import { crc32 } from 'node:zlib';

/** The file of the whole service, beside this one. Its name has a hash of its content (tools/bundle.mjs). */
declare const ONE_FILE: string;

const FILE = join(__dirname, ONE_FILE);
/** Only code that ran is stored, and a start on a busy machine takes this long. */
const STARTED_SECONDS = 6;
/** V8 does not notice damage: it crashes, or runs other code. */
const SUM_BYTES = 4;

// V8 uses stored code only under the options under which it was stored. This file can't import, so it repeats those of
// src/engine-flags.ts.
setFlagsFromString('--no-allocation-site-pretenuring');
setFlagsFromString('--heap-growing-percent=100');
setFlagsFromString('--concurrent-marking-max-worker-num=1');

/**
 * The code that V8 compiled at an earlier start, because compiling is half of a start. It is beside the file itself, so only
 * those who can change the service can change it.
 */
const COMPILED = join(__dirname, '.compile-cache', `${ONE_FILE}.${cachedDataVersionTag()}`);

/** The stored code, unless there is none, this user may not read it, or the sum at its end says that it is damaged. */
const read = (): Buffer | undefined => {
  try {
    const stored = readFileSync(COMPILED);
    const code = stored.subarray(0, -SUM_BYTES);
    return stored.readUInt32LE(code.length) === crc32(code) ? code : undefined;
  } catch {
    return undefined;
  }
};

const known = read();
const script = new Script(Module.wrap(readFileSync(FILE, 'utf8')), {
  filename: FILE,
  cachedData: known,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});

/** The file is written completely or not at all. */
const write = (): void => {
  const own = `${COMPILED}.${process.pid}`;
  const code = script.createCachedData();
  const sum = Buffer.alloc(SUM_BYTES);
  sum.writeUInt32LE(crc32(code));
  try {
    mkdirSync(dirname(own), { recursive: true });
    writeFileSync(own, Buffer.concat([code, sum]));
    renameSync(own, COMPILED);
  } finally {
    rmSync(own, { force: true }); // It takes space if the disk is full.
  }
};

/** Another process may have been first. */
const keep = (): void => {
  process.off('exit', keep);
  if (process.uptime() < STARTED_SECONDS || (known === undefined && read() !== undefined)) return;
  try {
    write();
  } catch {
    // A folder that this user may not write costs later starts some time, and nothing else.
  }
};
if (known === undefined || script.cachedDataRejected === true) {
  process.on('exit', keep);
  setTimeout(keep, (STARTED_SECONDS + 0.5) * 1_000).unref();
}

const run = script.runInThisContext() as (...names: unknown[]) => void;
run.call({}, {}, Module.createRequire(FILE), module, FILE, dirname(FILE));
