import './team/in-the-list';

import { KeyCaller } from '../support/caller';
import { type Answer, World } from '../support/world';
import { NotePreparer } from './team/note.preparer';
import { Trail } from './team/team.enhancers';

const NOTE = { name: 'a note' };
const MONEY = 1_000_000n;
const PRICE = 1_000;

describe('what a NestJS team writes', () => {
  let world: World;
  let caller: KeyCaller;
  let trail: Trail;

  beforeAll(async () => {
    world = await World.start();
    trail = world.app.get(Trail, { strict: false });
  });

  beforeEach(async () => {
    caller = await KeyCaller.register(world, MONEY);
    trail.steps.length = 0;
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const pay = (path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    world.post(`/v1/team/${path}`, body, { 'x-api-key': caller.key, ...headers });
  const balance = async (): Promise<number> =>
    (await world.get('/v1/account', { cookie: caller.cookie })).body.balanceMicro as number;
  const refused = ({ status, body }: Answer): unknown => [status, body.error?.code, body.error?.message];
  const expectUncharged = async (answer: Answer): Promise<void> => {
    expect(['none', 'released']).toContain(answer.headers['x-charge-state']);
    expect(await balance()).toBe(Number(MONEY));
  };

  describe('on a paid route', () => {
    it('sells a method that is marked @Paid', async () => {
      const { status, headers, body } = await pay('plain', NOTE);

      expect([status, headers['x-charge-state'], body]).toEqual([200, 'charged', { text: 'a note' }]);
      expect(await balance()).toBe(Number(MONEY) - PRICE);
    });

    it('asks an APP_GUARD, which refuses without a charge', async () => {
      const answer = await pay('plain', NOTE, { 'x-maintenance': 'yes' });

      expect(refused(answer)).toEqual([403, 'FORBIDDEN', 'Forbidden resource']);
      await expectUncharged(answer);
    });

    it('asks an APP_GUARD on the routes of the product, too', async () => {
      const chat = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 8 };
      for (const path of ['/v1/agent/chat', '/v1/chat/completions']) {
        const answer = await world.post(path, chat, { 'x-api-key': caller.key, 'x-maintenance': 'yes' });
        expect([path, answer.status]).toEqual([path, 403]);
      }
      expect(await balance()).toBe(Number(MONEY));
    });

    it('shows its answer to an APP_INTERCEPTOR, around the method', async () => {
      await pay('plain', NOTE);

      expect(trail.steps).toEqual(['interceptor', 'method', 'answer {"text":"a note"}']);
    });

    it('asks a guard of the method', async () => {
      const shut = await pay('guarded', NOTE);
      await expectUncharged(shut);
      const open = await pay('guarded', NOTE, { 'x-team': 'open' });

      expect([shut.status, open.status]).toEqual([403, 200]);
    });

    it('lets an interceptor of the method change the answer', async () => {
      expect((await pay('intercepted', NOTE)).body).toEqual({ text: 'A NOTE' });
    });

    it('asks a filter of the method, and charges nothing', async () => {
      const answer = await pay('filtered', NOTE);

      expect([answer.status, answer.body]).toEqual([418, { dropped: true }]);
      await expectUncharged(answer);
    });

    it('resolves parameters, and runs pipes before the method', async () => {
      const { body } = await pay('piped', { name: ' a note ' }, { 'x-team': 'red' });

      expect(body).toEqual({ text: 'a note|red|api-key' });
    });

    it.each([
      ['name', {}, 'name is required.'],
      ['name', { name: 7 }, 'name must be of type string.'],
      ['name', { name: 'a name that is much too long' }, 'name must be at most 12 characters long.'],
      ['copies', { ...NOTE, copies: 10 }, 'copies must be at most 9.'],
    ])('refuses by class-validator what its body says of %s: %j', async (param, body, message) => {
      const answer = await pay('plain', body);

      expect([answer.status, answer.body.error.param, answer.body.error.message]).toEqual([
        400,
        param,
        message,
      ]);
      await expectUncharged(answer);
    });

    it('sends the remedy of a preparer as fix, tried without running anything', async () => {
      const preparer = world.app.get(NotePreparer, { strict: false });

      const answer = await pay('prepared', { ...NOTE, copies: 3 });

      // The pipe refuses 10, and 7 is not even.
      expect([answer.status, answer.body.fix]).toEqual([400, { ...NOTE, copies: 4 }]);
      expect(preparer.tried).toEqual(['3 really', '7 locally', '4 locally']);
      expect(preparer.discarded).toBeGreaterThan(0);
      await expectUncharged(answer);
      expect((await pay('prepared', answer.body.fix as object)).body).toEqual({ text: 'a note 4' });
    });

    it('lets a null pass where @IsOptional does', async () => {
      expect((await pay('plain', { ...NOTE, copies: null })).status).toBe(200);
    });

    it('runs a validator of a class of its own, which no schema can say', async () => {
      const odd = await pay('odd', { ...NOTE, even: 'odd' });
      await expectUncharged(odd);
      const even = await pay('odd', { ...NOTE, even: 'even' });

      expect([odd.status, odd.body.error.param, odd.body.error.message]).toEqual([
        400,
        'even',
        'even must have an even number of characters',
      ]);
      expect([even.status, even.body]).toEqual([200, { text: 'even' }]);
    });

    it('answers an exception of Nest with its status and message, and charges nothing', async () => {
      const answer = await pay('conflict', NOTE);

      expect(refused(answer)).toEqual([409, 'CONFLICT', 'The note is locked.']);
      await expectUncharged(answer);
    });
  });

  describe('on a free route', () => {
    it.each([
      [{ word: 'UP', choice: 'a', tags: [] }, 'word'],
      [{ word: 'up', choice: 'c', tags: [] }, 'choice'],
      [{ word: 'up', choice: 'a', tags: ['x', 'y', 'z'] }, 'tags'],
      [{ word: 'up', choice: 'a', tags: [7] }, 'tags[0]'],
      [{}, 'word'],
    ])('checks class-validator decorators: %j', async (body, param) => {
      const answer = await world.post('/v1/team/free/words', body);

      expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([
        400,
        'INVALID_REQUEST',
        param,
      ]);
    });

    it.each([
      { word: 'up', choice: 'c', tags: [] },
      { word: 'up', tags: [] },
    ])('shows the message of a decorator: %j', async (body) => {
      const answer = await world.post('/v1/team/free/words', body);

      expect(refused(answer)).toEqual([400, 'INVALID_REQUEST', 'Choose a or b.']);
    });

    it.each([
      [400, 'INVALID_REQUEST', 'name is bad'],
      [401, 'UNAUTHORIZED', 'As asked.'],
      [404, 'NOT_FOUND', 'No such note.'],
      [409, 'CONFLICT', 'As asked.'],
      [410, 'GONE', 'As asked.'],
      [418, 'REQUEST_FAILED', 'As asked.'],
      [422, 'UNPROCESSABLE', 'As asked.'],
      [429, 'RATE_LIMITED', 'As asked.'],
      [503, 'UNAVAILABLE', 'As asked.'],
    ])('answers an exception of %d with %s and its message', async (status, code, message) => {
      const answer = await world.get(`/v1/team/free/fail/${status}`);

      expect(refused(answer)).toEqual([status, code, message]);
    });

    it('keeps the message of a 500 to itself', async () => {
      const { status, body } = await world.get('/v1/team/free/fail/500');

      expect([status, body.error.code]).toEqual([500, 'INTERNAL']);
      expect(body.error.message).not.toContain('As asked.');
    });

    it('keeps the message of a pipe', async () => {
      expect(refused(await world.get('/v1/team/free/fail/soon'))).toEqual([
        400,
        'INVALID_REQUEST',
        'Validation failed (numeric string is expected)',
      ]);
    });

    it('asks guards, and filters of everybody', async () => {
      const shut = await world.get('/v1/team/free/guarded');
      const open = await world.get('/v1/team/free/guarded', { 'x-team': 'open' });
      const dropped = await world.get('/v1/team/free/dropped');

      expect([shut.status, open.status]).toEqual([403, 200]);
      expect([dropped.status, dropped.body]).toEqual([418, { dropped: true }]);
    });

    it('still says 405 for an address that takes another method, and 404 where there is nothing', async () => {
      const wrong = await world.get('/v1/team/free/words');
      const nothing = await world.get('/v1/team/free/nothing');

      expect([wrong.status, wrong.headers['allow'], nothing.status]).toEqual([405, 'POST', 404]);
    });
  });
});
