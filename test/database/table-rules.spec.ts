import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Client } from 'pg';

import { tableRules, withoutWidths } from '../../tools/table-rules-text';
import { cloneDatabase } from '../support/postgres';

describe('docs/table-rules.md', () => {
  it('lists the rules that the migrated tables enforce', async () => {
    const client = new Client(await cloneDatabase());
    await client.connect();
    try {
      const page = await tableRules(async (statement) => (await client.query(statement)).rows);
      const written = readFileSync(join(__dirname, '..', '..', 'docs', 'table-rules.md'), 'utf8');
      expect(withoutWidths(written)).toBe(withoutWidths(page));
    } finally {
      await client.end();
    }
  });
});
