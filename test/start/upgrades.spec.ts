import { Client } from 'pg';
import { DataSource } from 'typeorm';

import { migrationOptions } from '#platform/database/data-source';
import { BuiltService, newFolder, removeFolders } from '../support/built-service';
import { expectEventually } from '../support/eventually';
import { cloneDatabase } from '../support/postgres';

const STEPS = 10;
const ADMIN_TOKEN = 'an-admin-token-of-the-upgrades';
const SIGNING_SECRET = 'a-secret-of-the-upgrades-0123456789';
const CALLS = {
  chat: { path: '/v1/agent/chat', body: { messages: [{ role: 'user', content: 'Hello.' }] } },
  picture: { path: '/v1/agent/generate', body: { prompt: 'A red fox' } },
  film: { path: '/v1/agent/generate', body: { prompt: 'A red fox runs [[delay 4s]]', duration: 4 } },
  // The process dies before this one is answered.
  open: { path: '/v1/agent/chat', body: { messages: [{ role: 'user', content: 'Hello. [[delay 2s]]' }] } },
};
type Name = keyof typeof CALLS;

interface Said {
  readonly status: number;
  readonly charge: string | null;
  readonly state: string | null;
  readonly text: string;
}

const query = async <Row extends object>(url: string, text: string): Promise<Row[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
};

jest.setTimeout(240_000);

/**
 * `npm run upgrades` runs the processes of earlier versions. Here the present code meets their schemas: rows of calls that
 * were under way when the process died, on a schema some migrations ago.
 */
describe('a start on an earlier schema, with calls under way', () => {
  const said = new Map<Name, Said>();
  let database: string;
  let dataDir: string;
  let key: string;
  let film: string;

  const start = (url: string) =>
    BuiltService.start({
      DATABASE_URL: url,
      DATA_DIR: dataDir,
      ADMIN_TOKEN,
      SIGNING_SECRET,
      LOG_LEVEL: 'error',
    });

  /** The same call each time, because it has the same key. */
  const call = async (service: BuiltService, name: Name): Promise<Said> => {
    const headers = { 'x-api-key': key, 'idempotency-key': `the-call-${name}` };
    const answer = await service.post(CALLS[name].path, CALLS[name].body, headers);
    return {
      status: answer.status,
      charge: answer.headers.get('x-charge-id'),
      state: answer.headers.get('x-charge-state'),
      text: await answer.text(),
    };
  };

  beforeAll(async () => {
    database = await cloneDatabase();
    dataDir = newFolder();
    const service = await start(database);
    key = await service.paidKey();
    for (const name of ['chat', 'picture', 'film'] as const) said.set(name, await call(service, name));
    film = (JSON.parse(said.get('film')!.text) as { jobId: string }).jobId;
    const open = call(service, 'open').catch(() => undefined);
    await expectEventually(
      async () => (await query(database, `select id from charge where state = 'held'`)).length === 1,
    );
    await service.end('SIGKILL');
    await open;
    // The sweeps decide a charge when its lease has expired.
    await query(database, `update charge set lease_until = now() where state = 'held'`);
    expect([...said.values()].map(({ status, state }) => [status, state])).toEqual([
      [200, 'charged'],
      [200, 'charged'],
      [200, 'charged'],
    ]);
  });

  afterAll(removeFolders);

  it.each(Array.from({ length: STEPS }, (_, step) => step + 1))(
    'from %i migrations ago: nothing is lost, and nothing is charged twice',
    async (steps) => {
      const url = await cloneDatabase(database);
      const source = await new DataSource(migrationOptions(url)).initialize();
      for (let step = 0; step < steps; step += 1) await source.undoLastMigration();
      expect(await source.showMigrations()).toBe(true);
      await source.destroy();

      const service = await start(url);
      try {
        for (const [name, before] of said) expect([name, await call(service, name)]).toEqual([name, before]);
        let open = await call(service, 'open');
        for (; open.status === 503; open = await call(service, 'open'))
          await new Promise((resolve) => setTimeout(resolve, 200));
        expect(open).toMatchObject({ status: 200, state: 'charged' });
        await expectEventually(async () => {
          const job = await fetch(`${service.url}/v1/agent/jobs/${film}`);
          return ((await job.json()) as { status: string }).status === 'done';
        });
        const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
        const drift = (await (await fetch(`${service.url}/v1/admin/drift`, { headers })).json()) as {
          now: { driftMicro: Record<string, number> };
        };
        expect(Object.values(drift.now.driftMicro).filter((micro) => micro !== 0)).toEqual([]);
        expect(
          await query(url, `select mark, state from charge where state <> 'released' order by mark`),
        ).toEqual(
          Object.keys(CALLS)
            .sort()
            .map((name) => ({ mark: `key:the-call-${name}`, state: 'charged' })),
        );
      } finally {
        expect([await service.end(), service.stderr]).toEqual([0, '']);
      }
    },
  );
});
