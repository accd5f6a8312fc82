import { readSettings } from '../../src/settings';
import { expectEnvelope } from '../support/envelope';
import { KeyCaller } from '../support/caller';
import { World } from '../support/world';

describe('a service that takes no cards', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start({ BILLING_PROCESSOR: 'none' });
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  it('opens no checkout, and says how to pay', async () => {
    const caller = await KeyCaller.register(world, 0n);

    const answer = await world.post(
      '/v1/account/billing/top-up',
      { usd: 5 },
      {
        cookie: caller.cookie,
        origin: new URL(world.settings.http.publicUrl).origin,
      },
    );

    expectEnvelope(answer, { status: 503, code: 'CARDS_NOT_TAKEN' });
    expect(
      await world.db.rows('select from credit_top_up where account_id = $1', [caller.accountId]),
    ).toEqual([]);
  });

  it('may run real models, if the payments on chain are real', () => {
    const real = {
      OPENAI_API_KEY: 'sk-of-a-test',
      X402_FACILITATOR: 'http',
      X402_FACILITATOR_URL: 'https://pay.example',
      X402_PAY_TO: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    };

    expect(() => readSettings(real)).toThrow('BILLING_PROCESSOR=sandbox');
    expect(readSettings({ ...real, BILLING_PROCESSOR: 'none' }).billing.processor).toBe('none');
  });
});
