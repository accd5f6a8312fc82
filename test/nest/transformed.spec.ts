import './team/in-the-list';

import { KeyCaller } from '../support/caller';
import { World } from '../support/world';

const URL = '/v1/team/transformed';
const FRAME = { title: '  A lamp ', from: '2026-11-28T00:00:00Z' };

describe('class-transformer', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  it('makes the instance of a body: its transforms, its types, its defaults and its methods', async () => {
    expect((await world.post(URL, FRAME)).body).toEqual({ title: 'A lamp', year: 2026, area: 25 });
    expect((await world.post(URL, { ...FRAME, size: 3 })).body).toMatchObject({ area: 9 });
  });

  it.each([
    [{ ...FRAME, size: 0 }, 'size', 'A frame is at least one pixel wide.'],
    [{ ...FRAME, from: 'soon' }, 'from', 'from must be a Date instance'],
    [{ from: FRAME.from }, 'title', 'title must be a string'],
    [[FRAME], null, 'The body must be of type object.'],
  ])('leaves the check to class-validator: %j', async (body, param, message) => {
    const answer = await world.post(URL, body);

    expect([answer.status, answer.body.error.param, answer.body.error.message]).toEqual([
      400,
      param,
      message,
    ]);
  });

  it('gives a paid route the defaults of its body', async () => {
    const caller = await KeyCaller.register(world, 1_000_000n);

    const { body } = await world.post(`${URL}/paid`, { name: 'a note' }, { 'x-api-key': caller.key });

    expect(body).toEqual({ text: 'plain' });
  });

  it.each(['dry_run', 'dryrun', 'maxPriceMicr', 'stile'])(
    'guards the restrictions of the base class and of the body: %s',
    async (name) => {
      const caller = await KeyCaller.register(world, 1_000_000n);

      const answer = await world.post(
        `${URL}/paid`,
        { name: 'a note', [name]: name === 'stile' ? 'plain' : 1 },
        { 'x-api-key': caller.key },
      );

      expect([answer.status, answer.body.error.param]).toEqual([400, name]);
      expect(answer.headers['x-charge-state']).toBe('none');
    },
  );
});
