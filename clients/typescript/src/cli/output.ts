import { existsSync } from 'node:fs';

import { sniffed } from '../file-types.ts';

export const usd = (micro: number): string => `$${(micro / 1e6).toFixed(6).replace(/0{1,4}$/, '')}`;

/**
 * What a terminal would obey, and what turns the direction of the text around it: all control characters but a line's end and a
 * tabulator.
 */
const OBEYED = /\r(?!\n)|[^\P{Cc}\t\n\r]|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Text with what a terminal would obey written out as JSON writes it, so that it stays JSON where it is. */
export const harmless = (text: string): string =>
  text.replaceAll(OBEYED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** All that the command says leaves through these: nobody knows which part of a text came from a service. */
export const say = (text: string): void => void process.stdout.write(harmless(text));
export const note = (text: string): void => void process.stderr.write(harmless(text));

/** Foreign words on one line of ours. */
export const oneLine = (text: unknown): string =>
  (typeof text === 'string' ? text : JSON.stringify(text ?? ''))
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .slice(0, 300)
    .trim();

/** A word of a line that people paste into a shell. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** The ending of a file by its first bytes. No service chooses it: it could name a program. */
export const endingOf = (bytes: Uint8Array): string => sniffed(bytes)?.ending ?? '.bin';

/** A name out of the first words, that nothing has yet. */
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
