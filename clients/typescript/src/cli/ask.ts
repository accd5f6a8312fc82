import { createInterface } from 'node:readline/promises';

import { NotPaid, type Options } from './options.ts';

/** Asks a person whether to pay. If nobody can answer, the result is no. */
export const agrees = async ({ yes, json }: Options, question: string): Promise<boolean> => {
  if (yes === true) return true;
  if (!process.stdin.isTTY || json === true)
    throw new NotPaid('Nothing was signed: add --yes to pay without a question.');
  const ask = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await ask.question(`${question} [y/N] `)).trim());
  } finally {
    ask.close();
  }
};
