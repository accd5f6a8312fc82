import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { MigrationInterface, QueryRunner } from 'typeorm';

const FOLDER = join(__dirname, '..', '..', 'migrations');

/** A migration that removes something that the version before used must give the reason here. */
type Step = MigrationInterface & { readonly contracts?: string };

/** Changes that break a process of the version before while it uses the new schema. */
const TAKES_AWAY: readonly (readonly [string, RegExp])[] = [
  ['drops a table', /\bdrop\s+table\b/],
  ['drops a column', /\bdrop\s+column\b/],
  ['renames', /\brename\s+(column\b|to\b)/],
  ['narrows a column', /\balter\s+column\s+\S+\s+(set\s+not\s+null|(set\s+data\s+)?type)\b/],
  [
    'demands a value that the old version does not send',
    /\badd\s+column\s+(?:(?!,|\bdefault\b).)*\bnot\s+null\b(?!(?:(?!,).)*\bdefault\b)/s,
  ],
  ['holds the table while it reads all of it', /\badd\s+constraint\s+\S+\s+check\b(?!.*\bnot\s+valid\b)/s],
];

/** Comments, strings and function bodies do not change tables. */
const bare = (sql: string): string =>
  sql
    .toLowerCase()
    .replaceAll(/\$\$[^]*?\$\$/g, '')
    .replaceAll(/--[^\n]*/g, '')
    .replaceAll(/'[^']*'/g, "''");

/** Constraints of tables that the same migration makes block no statement. */
const takenAwayBy = (statements: readonly string[]): readonly string[] => {
  const made = new Set<string>();
  return statements.map(bare).flatMap((sql) => {
    for (const [, table = ''] of sql.matchAll(/create\s+table\s+"?(\w+)/g)) made.add(table);
    const [, altered = ''] = /alter\s+table\s+"?(\w+)/.exec(sql) ?? [];
    return made.has(altered) ? [] : TAKES_AWAY.filter(([, words]) => words.test(sql)).map(([what]) => what);
  });
};

/** The statements of a migration, without a server. */
const statementsOf = async (step: Step): Promise<readonly string[]> => {
  const said: string[] = [];
  const query = (text: string): Promise<unknown[]> => {
    said.push(text);
    return Promise.resolve([]);
  };
  await step.up({ query } as unknown as QueryRunner);
  return said;
};

const steps = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) => Object.values(module.require(join(FOLDER, name)) as Record<string, new () => Step>))
  .map((Made): readonly [string, Step] => [Made.name, new Made()]);

/** Earlier migrations landed before this rule existed. */
const BEFORE = 1_764_000_002_600;
const later = steps.filter(([name]) => Number(name.slice(-13)) > BEFORE);

describe('the version before serves while the new one migrates', () => {
  it.each(later)('%s takes nothing away, or says why nobody uses it', async (_, step) => {
    const taken = takenAwayBy(await statementsOf(step));

    if (step.contracts === undefined) expect(taken).toEqual([]);
    else expect(step.contracts.length).toBeGreaterThan(20);
  });

  it.each([
    ['drop table charge', 'drops a table'],
    ['alter table job\n drop column tag', 'drops a column'],
    ['alter table job rename column tag to label', 'renames'],
    ['alter table job rename to work', 'renames'],
    ['alter table job alter column tag set not null', 'narrows a column'],
    ['alter table job alter column seconds type bigint', 'narrows a column'],
    [
      'alter table job add column a text, add column b text not null',
      'demands a value that the old version does not send',
    ],
    ['alter table job add constraint c check (a > 0)', 'holds the table while it reads all of it'],
  ])('notices: %s', (sql, what) => {
    expect(takenAwayBy([sql])).toEqual([what]);
  });

  it.each([
    `create table made (id text not null); alter table made add constraint c check (id <> '')`,
    'alter table job add column a text not null default 1, add column b text',
    `alter table job add column a text default 'not null'`,
    'alter table job add constraint c check (a > 0) not valid',
    'create function f() returns trigger language plpgsql as $$ begin drop table x; end $$',
    'drop index job_due',
  ])('lets pass: %s', (sql) => {
    expect(takenAwayBy([sql])).toEqual([]);
  });
});
