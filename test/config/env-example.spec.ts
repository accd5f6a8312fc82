import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { exampleLines } from '#platform/config/party';
import { VENDORS } from '#models/providers/vendors';
import { FEATURES, readSettings, settingNames } from '../../src/settings';

const ROOT = join(__dirname, '..', '..');
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

/** Each line has the form `#NAME=default`. */
const listed = new Map(
  [...read('.env.example').matchAll(/^#?([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ]),
);

const ofVendors = new Set(
  exampleLines(VENDORS).flatMap((line) => /^#([A-Z][A-Z0-9_]*)=/.exec(line)?.[1] ?? []),
);

/** Defaults that depend on another setting, as the file must show them. */
const DERIVED: Readonly<Record<string, string>> = {
  PUBLIC_URL: 'http://127.0.0.1:3000',
  RATE_LIMIT_ADDRESS: '6000',
};

describe('.env.example', () => {
  it('names every setting once, and nothing else', () => {
    const names = [...read('.env.example').matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name);

    expect(names).toHaveLength(new Set(names).size);
    expect(new Set(names)).toEqual(new Set(settingNames()));
    expect(settingNames()).toHaveLength(names.length);
  });

  it('shows the default of each, and an empty value where there is none', () => {
    const defaults: Readonly<Record<string, string | number | boolean | undefined>> = Object.assign(
      {},
      ...FEATURES.map(({ variables }) => new variables()),
    );
    const own = settingNames().filter((name) => !ofVendors.has(name));
    const expected = own.map((name) => [name, DERIVED[name] ?? String(defaults[name] ?? '')]);

    expect(Object.fromEntries([...listed].filter(([name]) => own.includes(name)))).toEqual(
      Object.fromEntries(expected),
    );
  });

  it('says of vendors what they say themselves: npm run env:example writes it', () => {
    expect(read('.env.example')).toContain(`\n${exampleLines(VENDORS).join('\n')}\n# Price media by`);
  });

  it('is a file that the service starts with when every line is switched on unchanged', () => {
    expect(readSettings(Object.fromEntries(listed))).toEqual(readSettings({}));
  });

  it('comes with every line commented out, so that a copy of it changes nothing', () => {
    expect(
      read('.env.example')
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#')),
    ).toEqual([]);
  });
});

describe('the settings that the pages speak of', () => {
  const OF_TESTS = /^(TEST|FUZZ)_/;
  /** Node reads these itself. */
  const OF_NODE = ['NODE_OPTIONS'];
  /** `npm run release` reads these. */
  const OF_RELEASES = ['DEBIAN_MIRROR'];
  /** The command of callers reads these. */
  const OF_CALLERS = ['LAMPPOST_URL', 'LAMPPOST_PRIVATE_KEY'];
  /** The servers that the pages use as examples. */
  const known = settingNames({ OPENAI_COMPATIBLE_SERVERS: 'openrouter,groq,my-vllm' });
  /** Codes of answers look like settings. The code contains them between quotes. */
  const code = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => read(join('src', name)))
    .join('\n');

  it.each([
    'README.md',
    'CONTRIBUTING.md',
    ...readdirSync(join(ROOT, 'docs', 'operations'), { recursive: true, encoding: 'utf8' })
      .filter((page) => page.endsWith('.md'))
      .map((page) => join('docs', 'operations', page)),
  ])('exist: %s', (page) => {
    const names = [...read(page).matchAll(/\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b/g)].map(([name]) => name);

    const unknown = names.filter(
      (name) =>
        !OF_TESTS.test(name) &&
        ![...OF_NODE, ...OF_RELEASES, ...OF_CALLERS].includes(name) &&
        !code.includes(`'${name}'`) &&
        // `RATE_LIMIT_*` means all settings with this beginning.
        !known.some((setting) => setting === name || setting.startsWith(`${name}_`)),
    );

    expect(unknown).toEqual([]);
  });
});
