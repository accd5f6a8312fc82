import { filmPrompt } from '#models/providers/sandbox/film';
import { Library, clipUri, dataUri, keyCaller, walletCaller } from '../references/library-callers';
import { World } from '../support/world';

/** A small film whose tables list billions of pictures. Probing it takes as long as the limit allows. */
const endlessFilm = async (name: string): Promise<string> => {
  const film = await filmPrompt(name, 32, 32, 1);
  film.writeUInt32BE(0xfffffff0, film.indexOf('stsc', 0, 'latin1') + 16);
  return dataUri('video/mp4', film);
};

describe('media of callers who have shown no money', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  it('are never probed before the film of an owner with credit', async () => {
    const films = await Promise.all(Array.from({ length: 5 }, (_, n) => endlessFilm(`stranger ${n}`)));
    const strangers = await Promise.all(
      films.map(async () => new Library(world, await walletCaller(world, 0n))),
    );
    const owner = new Library(world, await keyCaller(world));
    const film = await clipUri();
    const ended: string[] = [];

    const refused = strangers.map(async (library, n) => {
      const { status } = await library.store(films[n]);
      ended.push('stranger');
      return status;
    });
    // After the first refusal, the service probes the second stranger's film. Then the owner's film arrives.
    await Promise.race(refused);
    const { status } = await owner.store(film);
    ended.push('owner');

    expect(status).toBe(201);
    expect(await Promise.all(refused)).toEqual(films.map(() => 415));
    // The films of strangers that still waited are probed after the owner's film, although they arrived earlier.
    expect(ended.indexOf('owner')).toBeLessThan(4);
  });
});
