import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';

import { BlobStore } from '#platform/storage/blob-store';
import type { MediaRequest } from '#models/providers/media-provider';
import { Providers } from '#models/providers/providers';
import { WalletCaller } from '../support/caller';
import { World } from '../support/world';
import { Library, clip, dataUri, keyCaller, picture, walletCaller } from './library-callers';

const INPUTS = ['image', 'image2', 'video'] as const;

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('a call that draws on references', () => {
  let world: World;
  let library: Library;
  /** The media that the provider got, by digest. */
  let seen: Partial<Record<(typeof INPUTS)[number], string>>[];
  let car: { id: string; digest: string };
  let house: { id: string; digest: string };
  let dance: { id: string; digest: string };

  const keep = async (bytes: Buffer, label: string) => ({
    id: await library.keep(dataUri(label.includes('dance') ? 'video/mp4' : 'image/png', bytes), label),
    digest: digest(bytes),
  });

  beforeAll(async () => {
    world = await World.start({ MEDIA_SYNC_SECONDS: '5' });
    library = new Library(world, await walletCaller(world));
    car = await keep(await picture('red'), 'A red car');
    house = await keep(await picture('blue'), 'A blue house');
    dance = await keep(await clip(3), 'A slow dance');
    await library.untilSearchable();
    const provider = world.app.get(Providers, { strict: false }).media('sandbox')!;
    const submit = provider.submit.bind(provider);
    jest.spyOn(provider, 'submit').mockImplementation(async (request: MediaRequest, signal) => {
      const media: (typeof seen)[number] = {};
      for (const input of INPUTS) {
        const medium = request[input];
        if (medium !== undefined) media[input] = digest(await buffer(await medium.open()));
      }
      seen.push(media);
      return submit(request, signal);
    });
  });

  beforeEach(() => {
    seen = [];
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const charges = async (): Promise<number> => (await world.db.rows('select from charge')).length;

  const expectRefused = async (body: object, status: number, param: string): Promise<void> => {
    const before = [await charges(), seen.length];

    const answer = await library.generate({ prompt: 'x', ...body });

    expect([answer.status, answer.body.error.param]).toEqual([status, param]);
    expect([await charges(), seen.length]).toEqual(before);
  };

  it('gets the best match for an empty image, and says which it was', async () => {
    const answer = await library.generate({
      prompt: 'a red car in the rain',
      modelId: 'ember-edit',
      useReferences: true,
    });

    expect(answer.status).toBe(200);
    expect(answer.body.references).toEqual([{ id: car.id, input: 'image', score: expect.any(Number) }]);
    expect(seen).toEqual([{ image: car.digest }]);
    const [job] = await world.db.rows<{ id: string }>('select id from job order by created_at desc limit 1');
    const { body } = await world.get(`/v1/agent/jobs/${job!.id}`);
    expect(body.references).toEqual(answer.body.references);
  });

  it('gets two images and never the same one twice', async () => {
    const answer = await library.generate({
      prompt: 'a red car beside a blue house',
      modelId: 'mask-swap',
      useReferences: true,
    });

    expect(answer.body.references.map(({ input }: { input: string }) => input)).toEqual(['image', 'image2']);
    expect(new Set(answer.body.references.map(({ id }: { id: string }) => id))).toEqual(
      new Set([car.id, house.id]),
    );
  });

  it('keeps what the call brings itself', async () => {
    const own = await picture('green');

    const answer = await library.generate({
      prompt: 'a blue house',
      modelId: 'mask-swap',
      image: dataUri('image/png', own),
      useReferences: true,
    });

    expect(answer.body.references).toMatchObject([{ id: house.id, input: 'image2' }]);
    expect(seen).toEqual([{ image: digest(own), image2: house.digest }]);
  });

  it('gets pinned references in order, each in an input of its kind', async () => {
    const answer = await library.generate({
      prompt: 'move',
      modelId: 'puppet-motion',
      referenceIds: [dance.id, house.id],
    });

    expect(answer.status).toBe(200);
    expect(answer.body.references).toEqual([
      { id: dance.id, input: 'video' },
      { id: house.id, input: 'image' },
    ]);
    expect(seen).toEqual([{ image: house.digest, video: dance.digest }]);
  });

  it('fills what the pinned ones leave empty', async () => {
    const answer = await library.generate({
      prompt: 'a slow dance',
      modelId: 'puppet-motion',
      referenceIds: [car.id],
      useReferences: true,
    });

    expect(answer.body.references).toEqual([
      { id: car.id, input: 'image' },
      { id: dance.id, input: 'video', score: expect.any(Number) },
    ]);
  });

  it('gets nothing where the model works from a prompt alone, and says so', async () => {
    const answer = await library.generate({ prompt: 'a red car', useReferences: true });

    expect([answer.status, answer.body.references]).toEqual([200, []]);
  });

  it('works from copies: a reference that is deleted meanwhile is not missing half way', async () => {
    const gone = await keep(await picture('yellow'), 'A yellow boat');
    const blobs = world.app.get(BlobStore, { strict: false });
    const get = blobs.get.bind(blobs);
    const copied = jest.spyOn(blobs, 'get').mockImplementationOnce(async (key) => {
      const blob = await get(key);
      await library.delete(gone.id);
      return blob;
    });

    const answer = await library.generate({
      prompt: 'a boat',
      modelId: 'ember-edit',
      referenceIds: [gone.id],
    });

    copied.mockRestore();
    expect(answer.status).toBe(200);
    expect(seen).toEqual([{ image: gone.digest }]);
    await expectRefused({ modelId: 'ember-edit', referenceIds: [gone.id] }, 404, 'referenceIds[0]');
  });

  it('is refused before anything is held when a pinned one is unknown or somebody else’s', async () => {
    const stranger = new Library(world, await keyCaller(world));
    const theirs = await stranger.keep(dataUri('image/png', await picture('red')), 'A red car');

    await expectRefused({ modelId: 'ember-edit', referenceIds: [theirs] }, 404, 'referenceIds[0]');
    await expectRefused({ modelId: 'mask-swap', referenceIds: [car.id, 'ref_none'] }, 404, 'referenceIds[1]');
  });

  it.each<[string, { readonly referenceIds?: readonly string[] }, string]>([
    ['a model without inputs', { referenceIds: ['car'] }, 'referenceIds'],
    [
      'more than there are empty inputs',
      { modelId: 'ember-edit', referenceIds: ['car', 'house'] },
      'referenceIds',
    ],
    ['an input of the other kind', { modelId: 'ember-edit', referenceIds: ['dance'] }, 'referenceIds[0]'],
    ['two for one input', { modelId: 'puppet-motion', referenceIds: ['car', 'house'] }, 'referenceIds[1]'],
    ['five', { modelId: 'ember-edit', referenceIds: ['car', 'car', 'car', 'car', 'car'] }, 'referenceIds'],
    ['no match that is close enough', { modelId: 'ember-edit', useReferences: true } as object, 'image'],
    ['nothing at all', { modelId: 'ember-edit' } as object, 'image'],
  ])('is refused with %s', async (_, { referenceIds, ...body }, param) => {
    const ids = referenceIds?.map((name) => ({ car, house, dance })[name]?.id);

    await expectRefused({ ...body, ...(ids === undefined ? {} : { referenceIds: ids }) }, 400, param);
  });

  it('neither pins nor finds a clip that is longer than what is billed', async () => {
    const long = await keep(await clip(7), 'An endless dance');
    await library.untilSearchable();

    await expectRefused(
      { modelId: 'puppet-motion', duration: 5, referenceIds: [long.id, car.id] },
      400,
      'referenceIds[0]',
    );
    const answer = await library.generate({
      prompt: 'An endless dance',
      modelId: 'puppet-motion',
      duration: 5,
      referenceIds: [car.id],
      useReferences: true,
    });
    expect(answer.body.references[1].id).toBe(dance.id);
  });

  it('costs nothing in a dry run, which finds the same faults', async () => {
    const before = await charges();

    const fine = await library.generate({
      prompt: 'a red car',
      modelId: 'ember-edit',
      useReferences: true,
      dryRun: true,
    });

    expect(fine.body.dryRun).toBe(true);
    expect([await charges(), seen]).toEqual([before, []]);
    await expectRefused(
      { modelId: 'ember-edit', referenceIds: ['ref_none'], dryRun: true },
      404,
      'referenceIds[0]',
    );
  });

  it('needs to know whose library is meant before it asks for a payment', async () => {
    const answer = await world.post('/v1/agent/generate', {
      prompt: 'a red car',
      modelId: 'ember-edit',
      useReferences: true,
    });

    expect([answer.status, answer.body.error.code]).toEqual([401, 'MISSING_CREDENTIALS']);
  });

  it('is paid on chain while a sign-in names the library', async () => {
    const url = await world.listen();
    const wallet = new WalletCaller();
    const own = new Library(world, {
      owner: wallet.wallet.toLowerCase(),
      headers: async () => ({ 'sign-in-with-x': await wallet.signIn(world) }),
    });
    const id = await own.keep(dataUri('image/png', await picture('red')), 'A red car');

    const answer = await wallet.payingFetch()(`${url}/v1/agent/generate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(await own.caller.headers()) },
      body: JSON.stringify({ prompt: 'x', modelId: 'ember-edit', referenceIds: [id] }),
    });

    expect(answer.status).toBe(200);
    expect(((await answer.json()) as { references: unknown }).references).toEqual([{ id, input: 'image' }]);
  });
});
