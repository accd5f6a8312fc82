import { WalletCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { type FakeFacilitator, startFakeFacilitator } from '../support/fake-facilitator';
import { signedPayment } from '../contract/rail-callers';
import { World } from '../support/world';

const VIDEO = { prompt: '[[delay 60s]] a long film' };
const URL = '/v1/agent/videos';

describe('a job whose payment fails after it was submitted', () => {
  let facilitator: FakeFacilitator;
  let world: World;

  beforeAll(async () => {
    facilitator = await startFakeFacilitator();
    world = await World.start({
      X402_FACILITATOR: 'http',
      X402_FACILITATOR_URL: facilitator.url,
      X402_PAY_TO: '0x209693bc6afc0c5328ba36faf03c514ef312287c',
    });
  });

  afterAll(async () => {
    await world.stop();
    await facilitator.stop();
  });

  it('is stopped at its provider, and never shown', async () => {
    const answer = {
      success: false,
      errorReason: 'insufficient_funds',
      transaction: '',
      network: 'eip155:8453',
    };
    facilitator.fail('settle', { kind: 'says', answer }, 1);
    const payment = await signedPayment(world, new WalletCaller(), VIDEO, { url: URL });

    const refused = await world.post(URL, VIDEO, { 'payment-signature': payment });

    expect(refused.status).toBe(402);
    expect(JSON.stringify(refused.body)).not.toContain('job_');
    await expectEventually(async () => {
      const [operation] = await world.db.rows<{ cancelled: boolean }>(
        'select cancelled from sandbox_operation',
      );
      return operation?.cancelled === true;
    });
    const [job] = await world.db.rows<{ id: string; status: string; error_code: string }>(
      'select id, status, error_code from job',
    );
    expect(job).toMatchObject({ status: 'failed', error_code: 'UNPAID' });
    expect((await world.get(`/v1/agent/jobs/${job?.id}`)).status).toBe(404);
    await world.expectBooksToBalance();
  });
});
