import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..');

/** The kinds of fixtures, by the suffix of their files. */
type Kind = 'audio-vendor' | 'media-vendor' | 'paid-route' | 'rail-callers' | 'text-vendor';

const paths = readdirSync(ROOT, { recursive: true, encoding: 'utf8' });

const pathOf = (file: string): string | undefined =>
  paths.find((each) => each === file || each.endsWith(`/${file}`));

export const hasFixture = (kind: Kind, name: string): boolean => pathOf(`${name}.${kind}.ts`) !== undefined;

/**
 * The `FIXTURE` of an addition for its contract, from the file `<name>.<kind>.ts` in any folder of the tests. So an addition
 * joins its contract by its own folder.
 */
export const fixtureOf = <Fixture>(
  kind: Kind,
  name: string,
  ours: Readonly<Record<string, Fixture>>,
): Fixture => {
  if (ours[name] !== undefined) return ours[name];
  const file = `${name}.${kind}.ts`;
  const path = pathOf(file);
  if (path === undefined) throw new Error(`The contract of ${name} needs a file ${file} below test/.`);
  // Only the additions of this run are loaded.
  return jest.requireActual<{ readonly FIXTURE: Fixture }>(join(ROOT, path)).FIXTURE;
};
