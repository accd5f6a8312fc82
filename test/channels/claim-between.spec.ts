import { ChannelClaims } from '#money/billing/rails/channel/channel-claims';
import { ChannelRepository } from '#money/billing/rails/channel/channel.repository';
import { LATE_REFUNDS } from '#work/jobs/job-sweeps';
import { RefundSweepProcessor } from '#work/jobs/refund-sweep.processor';
import { ChannelCaller } from '../support/channel-caller';
import { expectEventually } from '../support/eventually';
import { type ChannelStage, channelStage } from './channel-world';

describe('a claim between the two looks of a late refund', () => {
  let stage: ChannelStage;

  beforeAll(async () => {
    stage = await channelStage({ X402_CHANNEL_CLAIM_SECONDS: '3600' });
  });
  afterAll(() => stage.stop());

  it('loses no refund', async () => {
    const { world } = stage;
    const jobOf = async (chargeId: string) =>
      (
        await world.db.rows<{ status: string; settled: boolean; state: string }>(
          `select j.status, j.settled_late as settled, c.state from job j join charge c on c.id = j.charge_id where c.id = $1`,
          [chargeId],
        )
      )[0]!;
    const caller = await new ChannelCaller(stage.chain).minted();
    const answer = await caller.buy(world, '/v1/agent/videos', { prompt: 'a lamp [[fail]]' });
    const chargeId = String(answer.headers['x-charge-id']);
    await expectEventually(async () => (await jobOf(chargeId)).status === 'failed');
    // The refund that follows the failure has ended its first try, so only the sweep below tries again.
    await expectEventually(
      async () =>
        (await world.db.rows(`select from sweep_pause where sweep = $1`, [LATE_REFUNDS])).length === 1,
    );

    const channels = world.app.get(ChannelRepository, { strict: false });
    const waits = channels.refundWaits.bind(channels);
    const spy = jest.spyOn(channels, 'refundWaits').mockImplementationOnce(async (id) => {
      await world.app.get(ChannelClaims, { strict: false }).claimOwed();
      return waits(id);
    });
    const sweep = async () => {
      await world.db.rows(`update sweep_pause set retry_at = now()`);
      await world.app.get(RefundSweepProcessor, { strict: false }).run();
    };
    await sweep();
    expect(spy).toHaveBeenCalled();

    await expectEventually(async () => {
      await sweep();
      return (await jobOf(chargeId)).settled;
    });
    expect(await jobOf(chargeId)).toMatchObject({ settled: true, state: 'refunded' });
  });
});
