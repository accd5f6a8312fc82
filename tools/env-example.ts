// npm run env:example: writes the vendors’ descriptions of their settings into .env.example. With --check it only
// compares the file with them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import 'reflect-metadata';

import { exampleLines } from '#platform/config/party';
import { VENDORS } from '#models/providers/vendors';

const FILE = join(__dirname, '..', '.env.example');
/** Matches the parts of the file before and after the lines of the vendors. */
const AROUND = /^(.*?\n# --- Providers: [^\n]*\n).*?(# Price media by .*)$/s;

const text = readFileSync(FILE, 'utf8');
if (!AROUND.test(text)) throw new Error('.env.example has no part for the vendors.');
const now = text.replace(AROUND, (_, before: string, after: string) =>
  [before, ...exampleLines(VENDORS).map((line) => `${line}\n`), after].join(''),
);
if (!process.argv.includes('--check')) writeFileSync(FILE, now);
else if (now !== text) {
  console.error('.env.example differs from the vendors; run npm run env:example.');
  process.exitCode = 1;
}
