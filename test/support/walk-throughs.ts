import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(__dirname, '..', '..', 'docs', 'extending');

/** The pages that show how to extend the service, by their names. */
export const walkThroughs = (): ReadonlyMap<string, string> =>
  new Map(readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]));

/** All of these pages in one text. */
export const walkThroughText = (): string => [...walkThroughs().values()].join('\n');
