// Remembers the state of files by their paths, sizes and times, so that a tool does nothing when nothing has changed.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The files below a folder, or the file itself. */
const filesAt = (path) =>
  statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [path];

/** A folder that is copied with its times has the same state in its new place. */
const stateOf = (paths, folder) => {
  const hash = createHash('sha256');
  for (const file of paths.filter(existsSync).flatMap(filesAt).sort()) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${relative(folder, file)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
};

/** Whether inputs and outputs are as they were at the last work. */
export const isUnchanged = (stamp, { inputs, outputs }) => {
  const folder = dirname(stamp);
  const states = () => `${stateOf(inputs(), folder)}\n${stateOf(outputs(), folder)}\n`;
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === states();
};

/**
 * Does the work unless inputs and outputs are as they were at the last time. `inputs` and `outputs` return paths. An
 * input that changes during the work is a change for the next time.
 */
export const unlessUnchanged = async (stamp, files, work) => {
  if (isUnchanged(stamp, files)) return;
  const folder = dirname(stamp);
  const before = stateOf(files.inputs(), folder);
  await work();
  writeFileSync(stamp, `${before}\n${stateOf(files.outputs(), folder)}\n`);
};
