import { ChannelClaims } from '#money/billing/rails/channel/channel-claims';
import { ChannelFacilitator } from '#money/billing/rails/channel/channel-facilitator';
import { ChannelCaller } from '../support/channel-caller';
import { type ChannelStage, channelStage } from './channel-world';

const CHAT = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 };
const URL = '/v1/agent/chat';

describe('a refused claim', () => {
  let stage: ChannelStage;

  beforeAll(async () => {
    stage = await channelStage({ X402_CHANNEL_CLAIM_SECONDS: '3600' });
  });
  afterAll(() => stage.stop());

  it('stops no channel whose debt is claimed, as a process of the version before has noted it', async () => {
    const { world } = stage;
    const caller = await new ChannelCaller(stage.chain).minted();
    expect((await caller.buy(world, URL, CHAT)).status).toBe(200);
    await world.app.get(ChannelClaims, { strict: false }).claimOwed();
    // The old process mirrors the claimed total, and does not know the column.
    await world.db.rows('update channel set claim_refused_at = now(), claim_failures = 1');
    await world.app.get(ChannelClaims, { strict: false }).run();

    expect((await caller.buy(world, URL, { ...CHAT, max_tokens: 17 })).status).toBe(200);
  });

  it('of a channel that cannot pay any more is not read each minute for ever', async () => {
    const { world } = stage;
    const caller = await new ChannelCaller(stage.chain).minted();
    expect((await caller.buy(world, URL, CHAT)).status).toBe(200);
    const [found] = await world.db.rows<{ id: string }>(
      `update channel set claim_refused_at = now(), claim_until = null where payer = '${caller.wallet.toLowerCase()}' returning id`,
    );
    const facilitator = world.app.get(ChannelFacilitator, { strict: false });
    const refresh = facilitator.refresh.bind(facilitator);
    // Its payer has withdrawn everything.
    jest.spyOn(facilitator, 'refresh').mockImplementation(async (channel) => {
      const seen = await refresh(channel);
      return seen && { ...seen, balance: 0n as never };
    });
    const waits: number[] = [];
    for (let run = 0; run < 3; run += 1) {
      await world.app.get(ChannelClaims, { strict: false }).run();
      const [row] = await world.db.rows<{ wait: number }>(
        'select ceil(extract(epoch from claim_until - now()))::integer as wait from channel where id = $1',
        [found!.id],
      );
      waits.push(row!.wait);
      await world.db.rows('update channel set claim_until = now() where id = $1', [found!.id]);
    }

    expect(waits[2]).toBeGreaterThan(120);
  });
});
