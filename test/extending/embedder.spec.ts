import { Embedder } from '#models/providers/embedder';
import { Library, keyCaller, pictureUri } from '../references/library-callers';
import { World } from '../support/world';
import { SampleEmbedder } from './sample-embedder/sample.embedder';

describe('an embedder that is one class', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start({}, (builder) =>
      builder.overrideProvider(Embedder).useValue(new SampleEmbedder()),
    );
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  it('decides how near a reference is to a text', async () => {
    const library = new Library(world, await keyCaller(world));
    await library.keep(await pictureUri('red'), 'silent');
    await library.keep(await pictureUri('blue'), 'a buzzing fox');
    await library.untilSearchable();

    // "listen" has the letters of "silent", and shares no word with it.
    const { refs } = (await library.search('listen')).body;

    const [first, second] = refs as readonly { readonly label: string; readonly score: number }[];
    expect([first?.label, second?.label]).toEqual(['silent', 'a buzzing fox']);
    expect(first?.score).toBeCloseTo(1, 3);
    expect(second?.score).toBeLessThan(0.3);
  });
});
