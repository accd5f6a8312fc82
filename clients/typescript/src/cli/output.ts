import { existsSync } from 'node:fs';
import { access, constants, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { sniffed } from '../file-types.ts';
import { Misused } from './options.ts';

export const usd = (micro: number): string => `$${(micro / 1e6).toFixed(6).replace(/0{1,4}$/, '')}`;

/**
 * Characters that control a terminal or change the direction of text: all control characters except line feed and tab.
 */
const OBEYED = /\r(?!\n)|[^\P{Cc}\t\n\r]|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Escapes such characters as JSON does, so that JSON stays valid. */
export const harmless = (text: string): string =>
  text.replaceAll(OBEYED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Prints a text. All output goes through these functions, because any part of a text may come from a service. */
export const say = (text: string): void => void process.stdout.write(harmless(text));
export const note = (text: string): void => void process.stderr.write(harmless(text));

/** A service's text on one line. */
export const oneLine = (text: unknown): string =>
  (typeof text === 'string' ? text : JSON.stringify(text ?? ''))
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .slice(0, 300)
    .trim();

/** A word of a command line that people copy into a shell. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/**
 * The extension for a file, from its first bytes. The service must not choose the extension, because it could choose
 * that of a program.
 */
export const endingOf = (bytes: Uint8Array): string => sniffed(bytes)?.ending ?? '.bin';

/** A file name that does not exist yet, made of the first words of the text. */
export const nameFor = (text: string, ending: string): string => {
  const slug = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  for (let turn = 1; ; turn += 1) {
    const name = `${slug || 'made'}${turn === 1 ? '' : `-${turn}`}${ending}`;
    if (!existsSync(name)) return name;
  }
};

/** Refuses a file that can't be written, before anything is paid. Without `-o`, a file goes into this folder. */
export const checkOut = async (out: string | undefined): Promise<void> => {
  if (out === '-') return;
  const place = out === undefined || (existsSync(out) && out !== '') ? (out ?? '.') : dirname(out);
  try {
    const isFolder =
      out !== undefined && (/[/\\]$/.test(out) || (place === out && (await stat(out)).isDirectory()));
    if (isFolder) throw new Error('it is a folder');
    await access(place, constants.W_OK);
  } catch (error) {
    const what = out === undefined ? 'This folder' : `-o ${out}`;
    throw new Misused(`${what} cannot be written: ${(error as Error).message}. Nothing was paid.`);
  }
};

/** The file could not be written after the payment, so the error says where its content is. */
export class NotKept extends Error {
  constructor(
    readonly made: { readonly url?: string; readonly jobId?: string | undefined; readonly charge?: unknown },
    cause: unknown,
  ) {
    super(`${(cause as Error).message}. It is paid, and is at ${made.url ?? 'its service'}.`, { cause });
  }
}

export const writeMade = (file: string, bytes: Uint8Array, made: NotKept['made']): Promise<void> =>
  writeFile(file, bytes).catch((error: unknown) => {
    throw new NotKept(made, error);
  });
