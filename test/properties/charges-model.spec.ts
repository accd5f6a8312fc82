import { randomInt } from 'node:crypto';

import fc from 'fast-check';

import { CHAT_URL, callersOf, sandboxRails } from '../contract/rail-callers';
import { World } from '../support/world';
import { IS_NIGHTLY } from '../support/nightly';
import { type ModelCaller, calls } from './charges-model';

const RUNS = IS_NIGHTLY ? 50 : 12;
const RAILS = sandboxRails();
/** Enough for some calls, so that later calls are refused. */
const MONEY = 13_000n;

describe('paid calls, against a model of them', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });

  afterAll(() => world.stop());

  it('are answered and charged as the model says, on every rail and in whatever order', async () => {
    const seed = Number(process.env['SEED'] ?? randomInt(2 ** 31));
    process.stdout.write(`charges-model: SEED=${seed}\n`);

    await fc.assert(
      fc.asyncProperty(calls(), async (all) => {
        const callers = await Promise.all(RAILS.map((rail) => callersOf(rail).caller(world, MONEY)));
        const models: ModelCaller[] = RAILS.map((rail) => ({ rail, balance: MONEY, marks: new Map() }));
        const post = (body: object, headers: object) => world.post(CHAT_URL, body, { ...headers });

        await fc.asyncModelRun(() => ({ model: { callers: models }, real: { callers, post } }), all);

        await world.expectBooksToBalance();
        expect(await Promise.all(callers.map((caller) => caller.left()))).toEqual(
          models.map(({ balance }) => balance),
        );
      }),
      { seed, numRuns: RUNS, endOnFailure: false },
    );
  });
});
