import type { DataSource } from 'typeorm';

import { createDataSource } from '#platform/database/data-source';
import { tableOf } from '#platform/database/table';
import { schemaDifferences } from '../../tools/schema-differences';
import { cloneDatabase } from '../support/postgres';
import { fillEveryTable } from '../support/rows';

describe('entities and the schema', () => {
  let source: DataSource;

  beforeAll(async () => {
    source = await createDataSource(await cloneDatabase()).initialize();
    await fillEveryTable(source);
  });

  afterAll(() => source.destroy());

  it('agree', async () => {
    expect(await schemaDifferences(source)).toEqual([]);
  });

  it.each([
    {
      change: 'alter table account add column odd text',
      back: 'alter table account drop column odd',
      reported: ['Account says nothing of its column odd.'],
    },
    {
      change: 'alter table session rename column expires_at to ends_at',
      back: 'alter table session rename column ends_at to expires_at',
      reported: [
        'Session says nothing of its column ends_at.',
        'Session.expiresAt is the column expires_at, which no migration makes.',
      ],
    },
    {
      change: 'alter table media alter column mime type varchar(100)',
      back: 'alter table media alter column mime type text',
      reported: [
        'Media.mime is declared as text not null, and the schema has character varying(100) not null.',
      ],
    },
    {
      change: 'alter table job alter column progress type integer',
      back: 'alter table job alter column progress type smallint',
      reported: ['Job.progress is declared as smallint nullable, and the schema has integer nullable.'],
    },
    {
      change: 'alter table session alter column account_id drop not null',
      back: 'alter table session alter column account_id set not null',
      reported: ['Session.accountId is declared as text not null, and the schema has text nullable.'],
    },
    {
      change: 'alter table api_key alter column expires_at set not null',
      back: 'alter table api_key alter column expires_at drop not null',
      reported: [
        'ApiKey.expiresAt is declared as timestamp with time zone nullable, and the schema has timestamp with time zone not null.',
      ],
      empties: 'api_key',
    },
    {
      change: `alter table job alter column status set default 'done'`,
      back: `alter table job alter column status set default 'running'`,
      reported: [
        `Job.status is declared as text not null default 'running', and the schema has text not null default 'done'.`,
      ],
    },
    {
      change: 'alter table account alter column created_at drop default',
      back: 'alter table account alter column created_at set default now()',
      reported: [
        'Account.createdAt is declared as timestamp with time zone not null default now(), and the schema has timestamp with time zone not null.',
      ],
    },
    {
      change: 'alter table published_charge drop constraint "PK_published_charge"',
      back: 'alter table published_charge add constraint "PK_published_charge" primary key (id)',
      reported: [
        'PublishedCharge.id is declared as text not null primary, and the schema has text not null.',
      ],
    },
    {
      change: 'create table odd (id text)',
      back: 'drop table odd',
      reported: ['The table odd has no entity.'],
    },
    {
      change: 'alter table provenance rename to odd',
      back: 'alter table odd rename to provenance',
      reported: [
        'The table odd has no entity.',
        'Provenance is the table provenance, which no migration makes.',
      ],
    },
  ])('differ after: $change', async ({ change, back, reported, empties }) => {
    if (empties !== undefined) await source.query(`delete from ${empties} where expires_at is null`);
    await source.query(change);

    expect(await schemaDifferences(source)).toEqual(reported);

    await source.query(back);
    expect(await schemaDifferences(source)).toEqual([]);
  });

  it('agree: TypeORM and our own statements read the same entity from a row', async () => {
    // An entity with a plain column, which has no transformer, is read by its repository only.
    const ours = source.entityMetadatas.filter(({ columns }) =>
      columns.every(({ transformer }) => transformer !== undefined),
    );
    for (const { name, target, tableName } of ours) {
      const table = tableOf(target as new () => object);
      const rows = await source.query<object[]>(`select ${table.columns} from ${tableName} order by ctid`);
      const ours = rows.map(table.read);
      const theirs = await source
        .getRepository(target)
        .createQueryBuilder('row')
        .orderBy('row.ctid')
        .getMany();

      expect({ name, rows: theirs.map(withoutTime) }).toEqual({ name, rows: ours.map(withoutTime) });
      expect({ name, rows: ours.length > 0 }).toEqual({ name, rows: true });
      expect(
        JSON.stringify(ours, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
      ).not.toContain('null');
    }
  });
});

/** Values that Postgres computes at the moment of reading. */
const withoutTime = (entity: object): object => ({ ...entity, leftMs: undefined, ageMs: undefined });
