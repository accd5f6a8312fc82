import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { FakeS3 } from '../support/fake-s3';
import { cloneDatabase } from '../support/postgres';
import { dataUri, picture } from '../references/library-callers';
import { Deployment } from './deployment';
import { type Moment, stopAt } from './moments';

const URL = '/v1/agent/references';
const [API, WORKER] = [0, 1];

const KEEPING: Moment = { tables: ['reference'], statements: ['reference-keep'], waiting: 1 };

jest.setTimeout(120_000);

/** One process answers calls and another does background work, so that each can die alone. */
describe('a process that dies in the middle of a reference', () => {
  let s3: FakeS3;
  let deployment: Deployment;
  let headers: Readonly<Record<string, string>>;
  let media: string;

  beforeAll(async () => {
    s3 = await FakeS3.start();
    const blobs = {
      BLOB_STORE: 's3',
      S3_ENDPOINT: s3.endpoint,
      S3_BUCKET: s3.bucket,
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
      RATE_LIMIT_REFERENCES: '0',
    };
    deployment = await Deployment.start(await cloneDatabase(), [
      { ...blobs, ROLE: 'api' },
      { ...blobs, ROLE: 'worker' },
    ]);
    headers = { 'x-api-key': (await KeyCaller.register(deployment.asWorld(), 0n)).key };
  });

  beforeEach(async () => {
    media = dataUri('image/png', await picture('red'));
  });

  afterEach(async () => {
    for (const { id } of await list()) await remove(id);
    await expectNothingLeft();
  });

  afterAll(async () => {
    await deployment.stop();
    await s3.stop();
  });

  const store = () => deployment.post(API, URL, { media, label: 'A red car' }, headers);
  const list = async (): Promise<readonly { id: string; vectorReady: number; url: string }[]> => {
    const answer = await fetch(`${await deployment.url(API)}${URL}`, { headers });
    return ((await answer.json()) as { refs: [] }).refs;
  };
  const remove = async (id: string): Promise<number> =>
    (await fetch(`${await deployment.url(API)}${URL}/${id}`, { method: 'DELETE', headers })).status;
  const isSearchable = async (): Promise<boolean> =>
    (await list()).every(({ vectorReady }) => vectorReady === 1);

  /** Ends the leases of a dead process now. */
  const hurry = async (): Promise<void> => {
    await deployment.db.rows(`update reference_trash set due_at = now() - interval '1 second'`);
    await deployment.db.rows('update reference set embed_at = now()');
  };
  const trash = async (): Promise<number> => (await deployment.db.rows('select from reference_trash')).length;
  const asked = (method: string): number => s3.seen.filter((request) => request.method === method).length;

  const expectNothingLeft = async (): Promise<void> => {
    await expectEventually(async () => {
      await hurry();
      return (await trash()) === 0;
    });
    expect([...s3.objects.keys()]).toEqual([]);
    expect(await deployment.db.rows('select from reference')).toEqual([]);
    expect(await deployment.db.rows('select assets from reference_library where assets > 0')).toEqual([]);
  };

  it('leaves nothing when the blob was on its way, and the same bytes are taken again', async () => {
    const before = asked('PUT');
    s3.hangsOn = 'PUT';
    const first = store().catch(() => 'broken off');
    await expectEventually(() => asked('PUT') > before);

    await deployment.kill(API);
    s3.hangsOn = undefined;

    expect(await first).toBe('broken off');
    expect([await trash(), await list()]).toEqual([1, []]);
    await expectNothingLeft();
    expect((await store()).status).toBe(201);
    await expectEventually(isSearchable);
  });

  it('leaves nothing when the blob was there and its row was lost', async () => {
    let first: Promise<unknown> = Promise.resolve();
    const hands = await stopAt(deployment.databaseUrl, KEEPING, () => {
      first = store().catch(() => 'broken off');
    });
    expect(s3.objects.size).toBe(1);

    await deployment.kill(API);
    await hands.cutOff(KEEPING);
    await hands.letGo();
    await hands.close();

    expect(await first).toBe('broken off');
    expect(await list()).toEqual([]);
    await expectNothingLeft();
  });

  it('has added it when the row was committed although the answer was lost', async () => {
    let first: Promise<unknown> = Promise.resolve();
    const hands = await stopAt(deployment.databaseUrl, KEEPING, () => {
      first = store().catch(() => 'broken off');
    });

    await deployment.kill(API);
    await hands.letGo();
    await hands.untilNobodyWaits(KEEPING);
    await hands.close();

    await first;
    await hurry();
    await expectEventually(isSearchable);
    const [kept] = await list();
    expect([kept === undefined, await trash(), s3.objects.size]).toEqual([false, 0, 1]);
    expect((await store()).body).toMatchObject({ asset: { id: kept?.id } });
  });

  it('is replaced by another that makes the vector', async () => {
    const before = asked('GET');
    s3.hangsOn = 'GET';
    const { body } = await store();
    await expectEventually(() => asked('GET') > before);

    await deployment.kill(WORKER);
    s3.hangsOn = undefined;

    expect(await isSearchable()).toBe(false);
    await expectEventually(async () => {
      await hurry();
      return isSearchable();
    });
    expect((await list()).map(({ id }) => id)).toEqual([(body as { asset: { id: string } }).asset.id]);
  });

  it('is replaced by another that deletes the blob', async () => {
    const { body } = await store();
    await expectEventually(isSearchable);
    const before = asked('DELETE');
    s3.hangsOn = 'DELETE';
    const first = remove((body as { asset: { id: string } }).asset.id).catch(() => 'broken off');
    await expectEventually(() => asked('DELETE') > before);

    await deployment.kill(API);

    expect(await first).toBe('broken off');
    expect([await list(), s3.objects.size, await trash()]).toEqual([[], 1, 1]);
    s3.hangsOn = undefined;
    await expectNothingLeft();
  });
});
