import { existsSync } from 'node:fs';

import { sniffed } from '../file-types.ts';

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
