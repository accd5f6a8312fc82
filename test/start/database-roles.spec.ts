import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Client } from 'pg';

import { migrate } from '#platform/database/migrations';
import { MAIN } from '../support/build';
import { KeyCaller } from '../support/caller';
import { runCommand } from '../support/code-blocks';
import { expectEventually } from '../support/eventually';
import { cloneDatabase } from '../support/postgres';
import { World } from '../support/world';
import { refusedOrigin } from '../support/closed-port';

const ROLES = readFileSync(join(__dirname, '..', '..', 'deploy', 'postgres', 'roles.sql'), 'utf8');
const MIGRATE = join(MAIN, '..', 'migrate.js');
const PASSWORD = 'a-password-for-tests';

/** The steps of `deploy/postgres/roles.sql`: the roles, then the migrations as the owner, then the roles again. */
const prepare = async (): Promise<{ readonly owner: string; readonly service: string }> => {
  const url = new URL(await cloneDatabase());
  const name = `${url.pathname.slice(1)}_roles`;
  const first = new Client(url.href);
  await first.connect();
  await first.query(`create database ${name}`);
  await first.end();
  url.pathname = `/${name}`;
  const operator = new Client(url.href);
  await operator.connect();
  const as = (user: string): string => {
    const own = new URL(url);
    own.username = user;
    own.password = PASSWORD;
    return own.href;
  };
  await operator.query(ROLES);
  for (const role of ['lamppost_owner', 'lamppost_service'])
    await operator.query(`alter role ${role} password '${PASSWORD}'`);
  // The role that changes the schema gets no secret of the service.
  const done = await runCommand(process.execPath, [MIGRATE], tmpdir(), {
    DATABASE_URL: as('lamppost_owner'),
    SIGNING_SECRET: '',
  });
  expect(done).toMatchObject({ exitCode: 0, errors: '', output: expect.stringContaining('Applied') });
  await operator.query(ROLES);
  await operator.end();
  return { owner: as('lamppost_owner'), service: as('lamppost_service') };
};

describe('the role of the service', () => {
  let urls: Awaited<ReturnType<typeof prepare>>;
  let world: World;

  beforeAll(async () => {
    urls = await prepare();
    world = await World.start({ DATABASE_URL: urls.service, FETCH_ALLOW_HOSTS: '127.0.0.1' });
  });
  afterAll(async () => {
    await world.stop();
  });
  afterEach(() => world.expectBooksToBalance());

  it('does all that callers and workers need', async () => {
    const caller = await KeyCaller.register(world, 10_000_000n);
    const headers = { 'x-api-key': caller.key };

    const paid = [
      await world.post('/v1/agent/generate', { prompt: 'a lamp' }, headers),
      await world.post('/v1/agent/generate', { prompt: 'a film', duration: 4 }, headers),
      await world.post(
        '/v1/agent/chat',
        { messages: [{ role: 'user', content: 'Hi.' }], max_tokens: 16 },
        headers,
      ),
      await world.post('/v1/agent/keys', { limitMicro: 1_000, expiresInSeconds: 60 }, headers),
      await world.post('/v1/agent/webhooks', { url: `${await refusedOrigin()}/` }, headers),
    ];

    expect(paid.map(({ status }) => status)).toEqual([200, 200, 200, 201, 201]);
    const { jobId } = paid[1]!.body;
    await expectEventually(async () => (await world.get(`/v1/agent/jobs/${jobId}`)).body.status === 'done');
  });

  it('starts when the schema is up to date, and says whom to ask when it is not', async () => {
    await expect(migrate(urls.service, { queues: true })).resolves.toEqual([]);
    const owner = new Client(urls.owner);
    await owner.connect();
    const { rows } = await owner.query<{ timestamp: string; name: string }>(
      'delete from migration where id = (select max(id) from migration) returning timestamp, name',
    );

    await expect(migrate(urls.service, { queues: true })).rejects.toThrow(/run lamppost-service migrate/);

    await owner.query('insert into migration (timestamp, name) values ($1, $2)', [
      rows[0]!.timestamp,
      rows[0]!.name,
    ]);
    await owner.end();
  });

  it.each([
    ['rewrite the ledger', 'delete from ledger_entry'],
    ['switch the rules of the books off', 'alter table ledger_entry disable trigger all'],
    ['pass by the rules of the books', 'set session_replication_role = replica'],
    ['forget charges all at once', 'truncate charge'],
    ['rewrite what operators did', 'delete from admin_audit'],
    ['make tables', 'create table more (id int)'],
    ['make schemas', 'create schema more'],
    ['make temporary tables', 'create temp table more (id int)'],
    ['pretend that a migration has run', `insert into migration (timestamp, name) values (1, 'x')`],
    ['read files', `select pg_read_file('/etc/passwd')`],
  ])('cannot %s', async (_, statement) => {
    await expect(world.db.rows(statement)).rejects.toMatchObject({ code: '42501' });
  });
});
