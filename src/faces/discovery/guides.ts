import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { errorSections, jobErrorRows } from './error-pages';
import type { Facts } from './facts';
import { fill } from './guide';

/** Our own guides, in the order for a new reader. Each is a file in `docs/guides`. */
const NAMES: readonly string[] = [
  'first-call',
  'budgets',
  'films',
  'webhooks',
  'references',
  'receipts',
  'mcp',
  'agents',
  'openai',
  'recipes',
  'command-line',
  'pricing',
  'errors',
  'troubleshooting',
  'running',
];

export interface Guide {
  /** The address of the guide below `/guides`. */
  readonly name: string;
  readonly title: string;
  /** The topic of the guide, in a sentence without Markdown. */
  readonly about: string;
  /** The source text, with `{{names}}` in place of the service's own numbers. */
  readonly template: string;
}

/** The same path is right for the built service and for its sources. */
const FOLDER = join(__dirname, '..', '..', '..', 'docs', 'guides');

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

/** Guides that other modules have added to the folder, sorted by name. They come last. */
const addedIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .filter((name) => !NAMES.includes(name))
    .sort();

export const guidesIn = (folder: string): readonly Guide[] =>
  [...NAMES, ...addedIn(folder)].map((name) => read(folder, name));

export const GUIDES: readonly Guide[] = guidesIn(FOLDER);

/** A guide with this service's own numbers. */
export const markdownOf = ({ template }: Guide, facts: Facts): string =>
  fill(template.replace('{{errorSections}}', errorSections).replace('{{jobErrorRows}}', jobErrorRows), facts);
