import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Logger } from '@nestjs/common';

import { expectEnvelope } from '../support/envelope';
import { expectEventually } from '../support/eventually';
import { FakeEmbedder } from '../support/fake-embedder';
import { cloneDatabase } from '../support/postgres';
import { World } from '../support/world';
import { Library, type LibraryCaller, clipUri, keyCaller, pictureUri } from './library-callers';

describe('making references searchable', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lamppost-embedding-'));
  let fake: FakeEmbedder;
  let world: World;

  beforeAll(async () => {
    fake = await FakeEmbedder.start();
  });
  beforeEach(() => {
    fake.forgiveAll();
    fake.bodies.length = 0;
  });
  afterEach(() => world.stop());
  afterAll(async () => {
    await fake.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const start = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
    world = await World.start({ DATA_DIR: dataDir, ...env });
    Logger.overrideLogger(false); // This test causes faults, whose log lines would only disturb.
  };
  const ready = async (library: Library): Promise<readonly number[]> =>
    (await library.list()).body.refs.map(({ vectorReady }: { vectorReady: number }) => vectorReady);
  const found = async (library: Library, text: string): Promise<readonly [string, number][]> =>
    (await library.search(text)).body.refs.map(({ label, score }: { label: string; score: number }) => [
      label,
      score,
    ]);
  /** Makes postponed work due now. */
  const hurry = () => world.db.rows('update reference set embed_at = now()');
  const untilReady = (library: Library): Promise<void> =>
    expectEventually(async () => {
      await hurry();
      return (await ready(library)).every((one) => one === 1);
    });

  it('finds the closest first, by words and by colours', async () => {
    await start();
    const library = new Library(world, await keyCaller(world));
    await library.keep(await pictureUri('blue'), 'A blue house');
    await library.keep(await pictureUri('red'), 'A red car');
    await library.keep(await clipUri(), 'A red kite');
    await library.untilSearchable();

    const labels = (await found(library, 'red car')).map(([label]) => label);

    expect(labels).toEqual(['A red car', 'A red kite', 'A blue house']);
    expect((await library.search('red car', 1)).body.refs).toHaveLength(1);
  });

  it('speaks to an embeddings API in the common shape', async () => {
    await start({ ...fake.env, EMBEDDER_MODEL: 'clip-2' });
    const library = new Library(world, await keyCaller(world));
    await library.keep(await pictureUri('blue'));
    await library.keep(await pictureUri('red'), 'red');
    await library.untilSearchable();

    const [first, second] = await found(library, 'something red');

    expect([first?.[0], second?.[0]]).toEqual(['red', undefined]);
    expect(first?.[1]).toBeGreaterThan(0.9);
    expect(fake.bodies.map(({ model }) => model)).toEqual(['clip-2', 'clip-2', 'clip-2']);
    // The two images may have been embedded in either order.
    const inputs = fake.bodies.map(({ input }) => input.map((one) => Object.keys(one).join()).join());
    expect(new Set(inputs)).toEqual(new Set(['image', 'image,text', 'text']));
    const { body } = await library.generate({ prompt: 'so red', modelId: 'ember-edit', useReferences: true });
    expect(body.references).toMatchObject([{ input: 'image', score: expect.any(Number) }]);
  });

  it('sends nothing outside for a dry run', async () => {
    await start(fake.env);
    const library = new Library(world, await keyCaller(world));
    await library.keep(await pictureUri('red'));
    await library.untilSearchable();
    fake.bodies.length = 0;

    const answer = await library.generate({
      prompt: 'red',
      modelId: 'ember-edit',
      useReferences: true,
      dryRun: true,
    });

    expect([answer.body.dryRun, fake.bodies]).toEqual([true, []]);
  });

  it('asks somebody outside only for those who have paid', async () => {
    await start(fake.env);
    const poor = new Library(world, await keyCaller(world, 0n));
    const empty = await poor.search('red');
    await poor.keep(await pictureUri('red'), 'red');
    await poor.untilSearchable();
    fake.bodies.length = 0;

    const refused = await poor.search('red');

    expect([empty.status, empty.body.refs]).toEqual([200, []]);
    expectEnvelope(refused, { status: 402, code: 'INSUFFICIENT_FUNDS' });
    expect(refused.body.topUp).toMatch(/^http/);
    expect(fake.bodies).toEqual([]);
  });

  it('tries again until it works, and keeps the service running meanwhile', async () => {
    await start(fake.env);
    const library = new Library(world, await keyCaller(world));
    fake.failNext('embed', 500, 'garbage', 'drop reply', 429);

    await library.keep(await pictureUri('red'), 'red');

    const tries = () => world.db.one<{ tries: number }>('select max(embed_tries) as tries from reference');
    await expectEventually(async () => ((await tries())?.tries ?? 0) > 0);
    expect(await ready(library)).toEqual([0]);
    expect((await world.get('/health/ready')).status).toBe(200);
    await untilReady(library);
    expect(await tries()).toEqual({ tries: 0 });
  });

  it('says so when a search cannot be done, and charges nothing', async () => {
    await start(fake.env);
    const library = new Library(world, await keyCaller(world));
    await library.keep(await pictureUri('red'), 'red');
    await library.untilSearchable();
    fake.failNext('embed', 500, 500);

    const search = await library.search('red');
    const call = await library.generate({ prompt: 'red', modelId: 'ember-edit', useReferences: true });

    expect([search.status, call.status]).toEqual([503, 503]);
    expect(JSON.stringify([search.body, call.body])).not.toMatch(/vendor|127\.0\.0\.1:(?!3999)/);
    expect(await world.db.rows('select from charge')).toEqual([]);
    const health = await world.get('/health/ready');
    expect([health.status, health.body.parts.embedder]).toEqual([200, 'degraded']);
  });

  it('begins again when the embedder is changed, and never compares vectors of two embedders', async () => {
    const databaseUrl = await cloneDatabase();
    await start({ DATABASE_URL: databaseUrl });
    let caller: LibraryCaller = await keyCaller(world);
    const before = new Library(world, caller);
    await before.keep(await pictureUri('red'), 'red');
    await before.keep(await clipUri()); // A clip has no vector, because neither embedder can read it.
    await expectEventually(async () => (await ready(before)).join() === '0,1');
    await world.stop();

    fake.failNext('embed', 500);
    await start({ DATABASE_URL: databaseUrl, ...fake.env });
    caller = { ...caller };
    const after = new Library(world, caller);
    await expectEventually(async () => {
      const row = await world.db.one<{ tries: number }>('select max(embed_tries) as tries from reference');
      return (row?.tries ?? 0) > 0;
    });
    expect(await ready(after)).toEqual([0, 0]);
    expect(await found(after, 'red')).toEqual([]);

    await expectEventually(async () => {
      await hurry();
      return (await ready(after)).join() === '0,1';
    });
    expect(await found(after, 'red')).toEqual([['red', expect.any(Number)]]);
    await world.stop();

    // The service returns to the first embedder. Its vectors are gone, so it makes them again.
    await start({ DATABASE_URL: databaseUrl });
    const again = new Library(world, caller);
    await untilSearchable(again);
    expect((await found(again, 'red'))[0]?.[0]).toBe('red');
  });

  const untilSearchable = (library: Library): Promise<void> =>
    expectEventually(async () => {
      await hurry();
      return (await ready(library)).join() === '0,1';
    });
});
