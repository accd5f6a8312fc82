import { MediaIntake } from '#platform/media/media-intake';
import { signedPayment } from '../contract/rail-callers';
import { pictureUri } from '../references/library-callers';
import { KeyCaller, WalletCaller } from '../support/caller';
import { expectEnvelope } from '../support/envelope';
import { startFakeFacilitator } from '../support/fake-facilitator';
import { World } from '../support/world';

const GENERATE = '/v1/agent/generate';

/**
 * An attacker who requests dry runs of calls that they could never pay, so that the service downloads their media for
 * free.
 */
describe('a dry run', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(async () => {
    await world.expectBooksToBalance();
    await world.stop();
  });
  afterEach(() => jest.restoreAllMocks());

  it('has no media decoded for a payment whose money nobody can see', async () => {
    const facilitator = await startFakeFacilitator();
    const blind = await World.start(facilitator.settings);
    const body = {
      modelId: 'ember-edit',
      prompt: 'the same, in blue',
      image: await pictureUri(),
      dryRun: true,
    };
    const payment = await signedPayment(blind, new WalletCaller(), body, { url: GENERATE });
    const { key } = await KeyCaller.register(blind, 50_000_000n);
    const taken = jest.spyOn(blind.app.get(MediaIntake, { strict: false }), 'take');

    const unseen = await blind.post(GENERATE, body, { 'payment-signature': payment });
    const takenUnseen = taken.mock.calls.length;
    const seen = await blind.post(GENERATE, body, { 'x-api-key': key });

    expect([unseen.status, unseen.body.dryRun, takenUnseen]).toEqual([200, true, 0]);
    expect([seen.status, seen.body.dryRun, taken.mock.calls.length]).toEqual([200, true, 1]);
    await blind.stop();
    await facilitator.stop();
  });

  it('is not covered by a payment that is spent', async () => {
    const wallet = new WalletCaller();
    const body = { modelId: 'ember-edit', prompt: 'the same, in blue', image: await pictureUri() };
    const quote = await world.post('/v1/agent/quote', { modelId: 'ember-edit' });
    const price = BigInt(quote.body.priceMicro);
    await world.db.rows('insert into sandbox_wallet (wallet, balance_micro) values ($1, $2)', [
      wallet.wallet.toLowerCase(),
      price,
    ]);
    const payment = await signedPayment(world, wallet, body, { price, url: GENERATE });
    const headers = { 'payment-signature': payment };
    const paid = await world.post(GENERATE, body, headers);
    const taken = jest.spyOn(world.app.get(MediaIntake, { strict: false }), 'take');

    const rehearsed = await world.post(GENERATE, { ...body, dryRun: true }, headers);
    const replayed = await world.post(GENERATE, body, headers);

    expect(paid.status).toBe(200);
    expectEnvelope(rehearsed, { status: 402, code: 'INSUFFICIENT_FUNDS' });
    expect(taken).not.toHaveBeenCalled();
    expect(replayed.body).toEqual(paid.body);
  });
});
