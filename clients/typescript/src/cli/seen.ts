import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

import type { KnownEntry } from '../proofs.ts';

/** A log that was proven earlier: its keys, its newest checkpoint, and the owner's newest entries. */
interface SeenLog {
  readonly verifiers: readonly string[];
  readonly checkpoint: string;
  readonly known?: readonly KnownEntry[];
}

export type SeenLogs = Readonly<Record<string, SeenLog>>;

/** The file of known checkpoints: the one that the command line names, or the default. */
export const stateFile = (named: string | undefined): string =>
  named ??
  join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'lamppost', 'checkpoints.json');

export const readSeen = async (file: string): Promise<SeenLogs> => {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as SeenLogs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
};

/**
 * Writes the whole file or nothing, and syncs it to the disk, because a crash must not destroy the known checkpoints.
 */
export const writeSeen = async (file: string, seen: SeenLogs): Promise<void> => {
  await mkdir(dirname(file), { recursive: true });
  const next = `${file}.${process.pid}`;
  await writeFile(next, `${JSON.stringify(seen, undefined, 2)}\n`, { mode: 0o600, flush: true });
  await rename(next, file);
};
