// Remembers the state of files by their paths, sizes and times, so that a tool does nothing when nothing has changed.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files below a folder, or the file itself. */
const filesAt = (path) =>
  statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [path];

const stateOf = (paths) => {
  const hash = createHash('sha256');
  for (const file of paths.filter(existsSync).flatMap(filesAt).sort()) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
};

/** Does the work unless the paths are as they were after the last time. */
export const unlessUnchanged = async (stamp, paths, work) => {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === stateOf(paths)) return;
  await work();
  writeFileSync(stamp, stateOf(paths));
};
