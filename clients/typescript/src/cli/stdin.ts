import { buffer, text } from 'node:stream/consumers';

import { Misused } from './options.ts';

/** The word that means the standard input, or the standard output after `-o`. */
export const DASH = '-';

const SAY_WHAT = 'Say what to make, such as: A red fox in the snow.';

const whole: { bytes?: Promise<Uint8Array> } = {};

/** The bytes of the standard input. A program can read it only once, so they are kept. */
export const stdinBytes = (): Promise<Uint8Array> => {
  if (process.stdin.isTTY) throw new Misused('Nothing is piped in for -.');
  whole.bytes ??= buffer(process.stdin);
  return whole.bytes;
};

/** Refuses a command without words if nothing is piped in. */
export const checkWords = (words: readonly string[]): void => {
  if (words.length === 0 && process.stdin.isTTY) throw new Misused(SAY_WHAT);
};

/** The words of the command. The standard input replaces `-`, or all words if there are none. */
export const wordsOrStdin = async (words: readonly string[]): Promise<string> => {
  const isPiped = words.includes(DASH) || (words.length === 0 && !process.stdin.isTTY);
  const piped = isPiped ? (await text(process.stdin)).trim() : '';
  const said = words.length === 0 ? piped : words.map((word) => (word === DASH ? piped : word)).join(' ');
  if (said === '') throw new Misused(SAY_WHAT);
  return said;
};
