import { World } from '../support/world';
import { EVERYBODY, Library, keyCaller, pictureUri } from './library-callers';

const DAY_MS = 24 * 60 * 60_000;

describe('two owners', () => {
  let world: World;
  let theirs: Library;
  let id: string;
  let url: string;

  beforeAll(async () => {
    world = await World.start();
    theirs = new Library(world, await keyCaller(world));
    const { body } = await theirs.store(await pictureUri(), 'A red car');
    id = body.asset.id;
    url = body.asset.url;
    await theirs.untilSearchable();
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => world.stop());

  const file = (path: string) => world.get(path);

  describe.each(EVERYBODY)('of which the other comes with %s', (_, callerOf) => {
    let own: Library;

    beforeAll(async () => {
      own = new Library(world, await callerOf(world));
    });

    it('never see each other in a list or a search', async () => {
      expect((await own.list()).body.refs).toEqual([]);
      expect((await own.search('A red car')).body.refs).toEqual([]);
    });

    it('cannot delete what is not theirs, and get the answer of an unknown object', async () => {
      const answers = [await own.delete(id), await own.delete('ref_none')];

      const reported = answers.map(({ status, body }) => [status, body.error.code, body.error.message]);
      expect(reported[0]).toEqual(reported[1]);
      expect(reported[0]?.[0]).toBe(404);
      expect((await theirs.list()).body.refs).toHaveLength(1);
    });

    it('cannot make a model work from what is not theirs', async () => {
      const pinned = await own.generate({ prompt: 'x', modelId: 'ember-edit', referenceIds: [id] });
      const found = await own.generate({
        prompt: 'A red car',
        modelId: 'ember-edit',
        useReferences: true,
      });

      expect([pinned.status, pinned.body.error.param]).toEqual([404, 'referenceIds[0]']);
      expect([found.status, found.body.error.param]).toEqual([400, 'image']);
    });

    it('may keep the same bytes, each as an asset of their own', async () => {
      const media = await pictureUri();

      const [one, other] = [await theirs.keep(media), await own.keep(media)];
      await theirs.delete(one);

      expect(one).not.toBe(other);
      expect((await own.list()).body.refs.map((ref: { id: string }) => ref.id)).toEqual([other]);
    });
  });

  it('share no library although an account’s key and its session do', async () => {
    const other = new Library(world, await keyCaller(world));

    expect((await other.list()).body.refs).toEqual([]);
  });

  it('have addresses that nobody can guess, change or use for ever', async () => {
    const path = new URL(url).pathname;
    const [sealed = '', mac = ''] = (path.split('/').pop() ?? '').split('.');
    const forged = Buffer.from(`${id} ${Date.now() + 10 * DAY_MS}`).toString('base64url');

    expect((await file(path)).status).toBe(200);
    for (const token of [
      id,
      sealed,
      `${sealed}.`,
      `${forged}.${mac}`,
      `${forged}.`,
      `${sealed}.${'A'.repeat(22)}`,
    ]) {
      expect([token, (await file(`/references/${token}`)).status]).toEqual([token, 404]);
    }
    expect((await file(`/media/${id}`)).status).toBe(404);

    const later = Date.now() + DAY_MS;
    jest.spyOn(Date, 'now').mockReturnValue(later);
    jest.useFakeTimers({
      now: later,
      doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'setInterval', 'queueMicrotask', 'performance'],
    });
    try {
      expect((await file(path)).status).toBe(404);
    } finally {
      jest.useRealTimers();
    }
  });
});
