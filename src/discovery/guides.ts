import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { errorSections, jobErrorRows } from './error-pages';
import type { Facts } from './facts';
import { fill } from './guide';

/** Our own, in the order in which somebody who is new would read them. Each is a file of `docs/guides`. */
const NAMES: readonly string[] = [
  'first-call',
  'budgets',
  'films',
  'webhooks',
  'references',
  'receipts',
  'openai',
  'recipes',
  'command-line',
  'pricing',
  'errors',
  'running',
];

export interface Guide {
  /** Its place below `/guides`. */
  readonly name: string;
  readonly title: string;
  /** What it is about, in a sentence without marks. */
  readonly about: string;
  /** As it was written: with `{{names}}` where the service has numbers of its own. */
  readonly template: string;
}

/** Seen from the built service and from its sources alike. */
const FOLDER = join(__dirname, '..', '..', 'docs', 'guides');

const read = (folder: string, name: string): Guide => {
  const template = readFileSync(join(folder, `${name}.md`), 'utf8');
  const [, title, about] = /^# (.+)\n\n([^]+?)\n\n/.exec(template) ?? [];
  if (title === undefined || about === undefined) {
    throw new Error(
      `docs/guides/${name}.md must begin with a title and a sentence that says what it is about.`,
    );
  }
  return { name, title, about: about.replaceAll('`', '').replaceAll(/\s+/g, ' '), template };
};

/** Guides that other modules have put into the folder, by their names. They come last. */
const addedIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .filter((name) => !NAMES.includes(name))
    .sort();

export const guidesIn = (folder: string): readonly Guide[] =>
  [...NAMES, ...addedIn(folder)].map((name) => read(folder, name));

export const GUIDES: readonly Guide[] = guidesIn(FOLDER);

/** A guide as this service tells it. */
export const markdownOf = ({ template }: Guide, facts: Facts): string =>
  fill(template.replace('{{errorSections}}', errorSections).replace('{{jobErrorRows}}', jobErrorRows), facts);
