import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  Column,
  CreateDateColumn,
  DataSource,
  DeleteDateColumn,
  Entity,
  Index,
  ManyToOne,
  type MigrationInterface,
  PrimaryGeneratedColumn,
  Unique,
  UpdateDateColumn,
  VersionColumn,
} from 'typeorm';

import { serviceOptions } from '#platform/database/data-source';
import { migrationText, stepsToEntities } from '../../tools/migration-steps';
import { schemaDifferences } from '../../tools/schema-differences';
import { cloneDatabase } from '../support/postgres';

/** A table of a team, written as in TypeORM's documentation. */
@Entity()
@Unique(['title'])
class TeamNote {
  @PrimaryGeneratedColumn('uuid') readonly id: string;
  @Column({ length: 40 }) readonly title: string;
  @Column({ default: 'red' }) readonly colour: string;
  @Column({ type: 'enum', enum: ['a', 'b'], default: 'a' }) readonly choice: string;
  @Column('decimal', { precision: 10, scale: 2, default: -1.5 }) readonly rate: string;
  @Column('simple-array', { nullable: true }) readonly tags: readonly string[];
  @Column({ default: -3 }) readonly count: number;
  @Column({ type: 'jsonb', default: {} }) readonly facts: object;
  @Column({ default: false }) readonly isRead: boolean;
  @Index() @Column('text') readonly ownerId: string;
  @CreateDateColumn() readonly createdAt: Date;
  @UpdateDateColumn({ type: 'timestamptz', precision: 3 }) readonly updatedAt: Date;
  @DeleteDateColumn() readonly deletedAt: Date;
  @VersionColumn() readonly version: number;
}

@Entity('team_line')
class TeamLine {
  @PrimaryGeneratedColumn() readonly id: number;
  @ManyToOne(() => TeamNote, { onDelete: 'CASCADE' }) readonly note: TeamNote;
  @Column('text', { array: true, default: '{}' }) readonly words: readonly string[];
}

@Entity('team_line')
class LongerTeamLine extends TeamLine {
  @Column({ length: 20, nullable: true }) readonly label: string;
  @Column({ default: '`${1}\\' }) readonly odd: string;
}

describe('npm run migrate:new', () => {
  let source: DataSource;
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-migrate-new-'));

  afterEach(() => source.destroy());
  afterAll(() => rmSync(folder, { recursive: true }));

  const open = async (url: string, ...entities: readonly NewableFunction[]): Promise<void> => {
    const options = serviceOptions(url);
    source = await new DataSource({
      ...options,
      entities: [...(options.entities as NewableFunction[]), ...entities],
    } as typeof options).initialize();
  };

  /** The class in the file that the command would write. */
  const written = async (topic: string, timestamp: number): Promise<MigrationInterface> => {
    const file = join(folder, `${timestamp}-${topic}.ts`);
    writeFileSync(file, migrationText(topic, timestamp, await stepsToEntities(source)));
    const [Migration] = Object.values(module.require(file) as Record<string, new () => MigrationInterface>);
    return new Migration!();
  };

  const go = async (migration: MigrationInterface, way: 'up' | 'down'): Promise<void> => {
    const runner = source.createQueryRunner();
    await migration[way](runner);
    await runner.release();
  };

  it('writes what brings the schema to new entities, and back', async () => {
    await open(await cloneDatabase(), TeamNote, TeamLine);
    const missing = [
      'TeamNote is the table team_note, which no migration makes.',
      'TeamLine is the table team_line, which no migration makes.',
    ];
    expect(await schemaDifferences(source)).toEqual(missing);
    const migration = await written('team-notes', 1_799_999_999_001);

    await go(migration, 'up');
    expect(await schemaDifferences(source)).toEqual([]);
    expect(await stepsToEntities(source)).toEqual({ up: [], down: [] });
    await source.getRepository(TeamNote).insert({ title: 'first', ownerId: 'acc_1', facts: {} });

    await go(migration, 'down');
    expect(await schemaDifferences(source)).toEqual(missing);
    await go(migration, 'up');
    expect(await schemaDifferences(source)).toEqual([]);
  });

  it('adds columns to a table, and leaves what is written by hand alone', async () => {
    const url = await cloneDatabase();
    await open(url, TeamNote, TeamLine);
    await go(await written('lines', 1_799_999_999_002), 'up');
    await source.query('alter table team_line add constraint team_line_few check (cardinality(words) < 9)');
    await source.query('create index team_line_by_words on team_line (words)');
    await source.destroy();

    await open(url, TeamNote, LongerTeamLine);
    const steps = await stepsToEntities(source);
    expect([steps.up.length, steps.down.length]).toEqual([2, 2]);
    expect(steps.up[0]).toBe('ALTER TABLE "team_line" ADD COLUMN "label" character varying(20)');
    const migration = await written('longer-lines', 1_799_999_999_003);
    await go(migration, 'up');
    expect(await schemaDifferences(source)).toEqual([]);
    await go(migration, 'down');
    expect(await schemaDifferences(source)).toEqual([
      'LongerTeamLine.label is the column label, which no migration makes.',
      'LongerTeamLine.odd is the column odd, which no migration makes.',
    ]);
  });

  it('touches nothing of the service where a column of its own table is new', async () => {
    await open(await cloneDatabase());
    await source.query('alter table job drop column progress cascade');

    const { up, down } = await stepsToEntities(source);
    expect(up).toEqual(['ALTER TABLE "job" ADD COLUMN "progress" smallint']);
    expect(down).toEqual(['ALTER TABLE "job" DROP COLUMN "progress"']);
  });

  it.each([
    [
      'title',
      'alter column title type varchar(41)',
      'character varying(40) not null',
      'character varying(41) not null',
    ],
    [
      'id',
      'alter column id drop default',
      'uuid not null primary default gen_random_uuid()',
      'uuid not null primary',
    ],
    [
      'updatedAt',
      'alter column "updatedAt" type timestamptz',
      'timestamp(3) with time zone not null default now()',
      'timestamp with time zone not null default now()',
    ],
    [
      'rate',
      'alter column rate type numeric',
      'numeric(10,2) not null default -1.5',
      'numeric not null default -1.5',
    ],
  ])('is needed when a stock column %s differs', async (column, change, said, is) => {
    await open(await cloneDatabase(), TeamNote, TeamLine);
    await go(await written(`differs-${column.toLowerCase()}`, 1_799_999_999_004), 'up');
    await source.query(`alter table team_note ${change}`);

    expect(await schemaDifferences(source)).toEqual([
      `TeamNote.${column} is declared as ${said}, and the schema has ${is}.`,
    ]);
  });

  it('writes an empty one where there is nothing to bring', async () => {
    await open(await cloneDatabase());

    const text = migrationText('empty-one', 1_799_999_999_005, await stepsToEntities(source));
    expect(text).toContain('export class EmptyOne1799999999005 implements MigrationInterface');
    expect(text.match(/await db\.query\(``\);/g)).toHaveLength(2);
  });
});
