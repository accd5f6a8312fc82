import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';

import { Lamppost } from '../lamppost.ts';
import type { Command } from './command.ts';
import { Misused, keyOf } from './options.ts';
import { usd } from './output.ts';
import { keyFile, storeKey, storedKey } from './stored-keys.ts';

const askedKey = async (baseUrl: string): Promise<string> => {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim();
  const ask = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await ask.question(`A key of ${baseUrl} (people make one at ${baseUrl}/account/keys): `)).trim();
  } finally {
    ask.close();
  }
};

export const login: Command = {
  usage: ['[--url URL] [--key KEY]'],
  about: 'stores a key for a service on this machine',
  more:
    'It asks for the key, or reads it from the standard input, and checks it. The key is in a file that only you can read, and is\n' +
    'sent to its service only. LAMPPOST_KEY, a session and a wallet in the environment have priority.',
  options: [],
  examples: ['', '--url https://lamppost.example < key.txt'],
  isAlone: true,
  run: async ({ baseUrl, options }) => {
    const key = keyOf(options) ?? (await askedKey(baseUrl));
    if (key === '') throw new Misused('Give a key: lp_…');
    const { micro } = await new Lamppost({ baseUrl, key, tries: 2 }).balance();
    storeKey(baseUrl, key);
    const file = keyFile();
    return {
      json: { url: baseUrl, file, micro },
      text: `${usd(micro)} at ${baseUrl}. The key is in ${file}.`,
    };
  },
};

export const logout: Command = {
  usage: ['[--url URL]'],
  about: 'removes the stored key of a service from this machine',
  more: 'The key itself stays valid until it expires, or is deleted on the pages of the service.',
  options: [],
  examples: ['', '--url https://lamppost.example'],
  isAlone: true,
  run: ({ baseUrl }) => {
    const was = storedKey(baseUrl) !== undefined;
    if (was) storeKey(baseUrl, undefined);
    const text = was ? `The key of ${baseUrl} is removed.` : `There is no stored key of ${baseUrl}.`;
    const next = '`lamppost login` stores a key.';
    return Promise.resolve({ json: { url: baseUrl, removed: was }, text: `${text} ${next}` });
  },
};
