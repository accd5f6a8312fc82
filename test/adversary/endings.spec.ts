import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { DataSource } from 'typeorm';

import { createDataSource } from '#platform/database/data-source';
import { cloneDatabase } from '../support/postgres';

const ROOT = join(__dirname, '..', '..');

/** Tables to which no outsider can add a row: background work, operators' actions, and the sandbox. */
const OUR_OWN = new Set([
  'admin_audit',
  'disk_store',
  'event_listener',
  'event_watermark',
  'migration',
  'model_hour',
  'off_switch',
  'rail',
  'sales_cursor',
  'sales_day',
  'sandbox_authorization',
  'sandbox_operation',
  'sandbox_wallet',
  'sweep_pause',
  'usage_cursor',
  'usage_day',
  'vendor_cost_day',
  'vendor_list',
  'model_choice',
  'list_agreement',
  'announced_model',
  'webhook_cursor',
]);

interface Line {
  readonly what: string;
  readonly tables: readonly string[];
  readonly ends: string;
  readonly file: string;
  readonly words: string;
}

/** The rows of the table in docs/security.md. */
const linesOf = (page: string): readonly Line[] => {
  const section = page.split('## Everything that callers can make')[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => {
      const [what = '', tables = '', , ends = '', proven = ''] = line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim());
      const [, file = '', words = ''] = /^`([^`]+)`: (.+)$/.exec(proven) ?? [];
      return { what, tables: [...tables.matchAll(/`(\w+)`/g)].map(([, name]) => name!), ends, file, words };
    });
};

describe('everything that anybody can make', () => {
  const lines = linesOf(readFileSync(join(ROOT, 'docs/security.md'), 'utf8'));
  let source: DataSource;

  beforeAll(async () => {
    source = await createDataSource(await cloneDatabase()).initialize();
  });
  afterAll(() => source.destroy());

  it('is in the list of what ends it', async () => {
    const rows: { name: string }[] = await source.query(
      `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    );
    const listed = new Set(lines.flatMap(({ tables }) => tables));

    expect(rows.map(({ name }) => name).filter((name) => !listed.has(name) && !OUR_OWN.has(name))).toEqual(
      [],
    );
    const known = new Set(rows.map(({ name }) => name));
    expect([...listed, ...OUR_OWN].filter((name) => !known.has(name) && name !== 'migration')).toEqual([]);
  });

  it.each(lines.map((line) => [line.what, line] as const))(
    '%s says what ends it, and names a test of that',
    (_, line) => {
      const text = readFileSync(join(ROOT, 'test', `${line.file}.spec.ts`), 'utf8');
      const names = [...text.matchAll(/\b(?:it|describe)(?:\.each\([^]*?\))?\(\s*(['"`])([^]*?)\1/g)].map(
        ([, , name]) => name!,
      );

      expect(line.ends.length).toBeGreaterThan(10);
      expect(names.filter((name) => name.includes(line.words))).not.toEqual([]);
    },
  );
});
