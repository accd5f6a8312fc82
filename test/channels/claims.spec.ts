import { ChannelClaims } from '#money/billing/rails/channel/channel-claims';
import { ChannelRecovery } from '#money/billing/rails/channel/channel-recovery';
import { ChannelRepository } from '#money/billing/rails/channel/channel.repository';
import { Chain } from '#money/billing/rails/x402/facilitators/chain';
import { ChannelCaller } from '../support/channel-caller';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';
import { type ChannelStage, PAY_TO, channelStage } from './channel-world';

const CHAT = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 };
const URL = '/v1/agent/chat';

describe('claims of channels', () => {
  let stage: ChannelStage;

  beforeEach(async () => {
    stage = await channelStage({ X402_CHANNEL_CLAIM_SECONDS: '3600' });
  });

  afterEach(async () => {
    await stage.world.expectBooksToBalance();
    await stage.stop();
  });

  const claims = () => stage.world.app.get(ChannelClaims, { strict: false });
  const received = () => stage.chain.usdc.balanceOf(PAY_TO);
  const buyer = async (): Promise<ChannelCaller> => new ChannelCaller(stage.chain).minted();
  const sql = (text: string) => stage.world.db.rows(text);
  const rowOf = async (caller: ChannelCaller) => {
    const [row] = await stage.world.db.rows<{ id: `0x${string}`; charged: string; claimed: string }>(
      'select id, charged_micro::text as charged, claimed_micro::text as claimed from channel where payer = $1',
      [caller.wallet.toLowerCase()],
    );
    return row!;
  };

  it('claim many channels in one transaction, exactly what was charged, and pay it out', async () => {
    const callers = [await buyer(), await buyer(), await buyer()];
    for (const [n, caller] of callers.entries())
      for (let calls = 0; calls <= n; calls += 1)
        expect((await caller.buy(stage.world, URL, CHAT)).status).toBe(200);

    await claims().claimOwed();

    const made = await stage.chain.channels.claims();
    expect(made).toHaveLength(3);
    expect(new Set(made.map(({ transaction }) => transaction)).size).toBe(1);
    expect(await received()).toBe(6n * 2_000n);
    for (const caller of callers) {
      const { charged, claimed } = await rowOf(caller);
      expect(claimed).toBe(charged);
    }
    const kinds = await stage.world.db.rows<{ kind: string; amount: string; channels: number }>(
      `select kind, amount_micro::text as amount, channels from channel_transaction
       where kind in ('claim', 'payout') order by kind`,
    );
    expect(kinds).toEqual([
      { kind: 'claim', amount: '12000', channels: 3 },
      { kind: 'payout', amount: '12000', channels: 0 },
    ]);
  });

  it('are due by time, or by the sum that is owed', async () => {
    const caller = await buyer();
    await caller.buy(stage.world, URL, CHAT);
    await claims().run();
    expect(await received()).toBe(0n);

    await sql(`update channel set created_at = now() - interval '2 hours'`);
    await claims().run();
    // The scheduled job may have taken the channel at the same moment.
    await expectEventually(async () => (await received()) > 0n);
    expect(await received()).toBe(2_000n);
  });

  it('go on after a claim whose answer was lost, and never claim twice', async () => {
    const caller = await buyer();
    await caller.buy(stage.world, URL, CHAT);
    await claims().claimOwed();
    await sql(`update channel set claimed_micro = 0, claim_until = null`);

    await claims().claimOwed();

    expect(await stage.chain.channels.claims()).toHaveLength(1);
    expect((await rowOf(caller)).claimed).toBe('2000');
    expect(await received()).toBe(2_000n);
  });

  it('come at once when a payer withdraws, which stops its calls', async () => {
    const [leaving, staying] = [await buyer(), await buyer()];
    const { payload } = await leaving.pay(stage.world, URL, CHAT);
    await leaving.buy(stage.world, URL, CHAT);
    await staying.buy(stage.world, URL, CHAT);
    await stage.chain.channels.initiateWithdraw(leaving.privateKey, payload.channelConfig, 20_000n);
    await sql(`update channel set synced_at = now() - interval '1 hour'`);

    const refused = await leaving.buy(stage.world, URL, { ...CHAT, max_tokens: 17 });
    await claims().run();

    expect(refused.status).toBe(402);
    // The scheduled job may have taken the channel at the same moment.
    await expectEventually(async () => (await stage.chain.channels.claims()).length > 0);
    expect((await stage.chain.channels.claims()).map(({ channelId }) => channelId)).toEqual([
      (await rowOf(leaving)).id,
    ]);
    // The claim is on the chain before its row is written.
    await expectEventually(async () => (await rowOf(leaving)).claimed === '2000');
    expect((await stage.world.get(`/v1/agent/x402/channels/${(await rowOf(leaving)).id}`)).body).toEqual({
      channelId: (await rowOf(leaving)).id,
      payer: leaving.wallet,
      chargedMicro: 2_000,
      claimedMicro: 2_000,
      balanceMicro: 20_000,
      withdrawalPending: true,
    });
    await stage.chain.client.increaseTime({ seconds: 901 });
    await stage.chain.channels.finalizeWithdraw(leaving.privateKey, payload.channelConfig);
    expect(await stage.chain.usdc.balanceOf(leaving.account.address)).toBe(20_000_000n - 2_000n);
    expect((await staying.buy(stage.world, URL, { ...CHAT, max_tokens: 18 })).status).toBe(200);
  });

  it('leave out a channel that holds too little, and claim the others', async () => {
    const [good, bad] = [await buyer(), await buyer()];
    await good.buy(stage.world, URL, CHAT);
    await bad.buy(stage.world, URL, CHAT);
    const bytes = `'0x' || repeat('12', 65)`;
    await sql(`update channel set signature = ${bytes} where payer = '${bad.wallet.toLowerCase()}'`);

    await claims().claimOwed();

    expect((await rowOf(good)).claimed).toBe('2000');
    expect((await rowOf(bad)).claimed).toBe('0');
    expect(await received()).toBe(2_000n);
  });

  it('return the rest of an idle channel, and the channel pays again after a new deposit', async () => {
    const caller = await buyer();
    await caller.buy(stage.world, URL, CHAT);
    await sql(`update channel set used_at = now() - interval '8 days'`);

    await claims().run();

    // The scheduled job may have taken the channel at the same moment.
    await expectEventually(
      async () => (await stage.chain.usdc.balanceOf(caller.account.address)) === 20_000_000n - 2_000n,
    );
    const { id } = await rowOf(caller);
    const channels = stage.world.app.get(ChannelRepository, { strict: false });
    await expectEventually(async () => (await channels.find(id))?.balance === 2_000n);
    expect(await channels.find(id)).toMatchObject({
      charged: 2_000n,
      claimed: 2_000n,
      balance: 2_000n,
    });
    await caller.storage.delete(id);
    expect((await caller.buy(stage.world, URL, { ...CHAT, max_tokens: 17 })).status).toBe(200);
    expect((await rowOf(caller)).charged).toBe('4000');
  });

  it('a payer gets its money back when it asks, by the stock client', async () => {
    const caller = await buyer();
    await caller.buy(stage.world, URL, CHAT);

    const answer = await caller.scheme.refund(`${stage.url}/v1/agent/x402/channels`);

    expect(answer).toMatchObject({ success: true, amount: '18000' });
    expect(await stage.chain.usdc.balanceOf(caller.account.address)).toBe(20_000_000n - 2_000n);
    expect((await rowOf(caller)).claimed).toBe('2000');
  });

  it('and deposits rebuild the channels of a database that went back to an earlier moment', async () => {
    const restored = await World.start(stage.settings);
    const { x402 } = restored.settings;
    const recovery = new ChannelRecovery(restored.db, new Chain(x402), x402, 10n);
    const began = new Date(Date.now() - 60_000);
    const caller = await buyer();
    const totals = async () =>
      restored.db.rows('select charged_micro::text as charged, base_micro::text as base from channel');

    expect((await caller.buy(stage.world, URL, CHAT)).status).toBe(200);
    await stage.chain.mine(70);
    const [unknown, ...others] = await recovery.find(began);
    expect([unknown, others]).toEqual([expect.objectContaining({ charged: undefined }), []]);
    expect(await recovery.rebuild(unknown!)).toBe(true);
    expect(await totals()).toEqual([{ charged: '0', base: '0' }]);

    await claims().claimOwed();
    await stage.chain.mine(70);
    const [behind] = await recovery.find(began);
    expect(behind).toMatchObject({ charged: 0n, state: { claimed: 2_000n } });
    expect(await Promise.all([recovery.rebuild(behind!), recovery.rebuild(behind!)])).toEqual([true, true]);
    expect(await totals()).toEqual([{ charged: '2000', base: '2000' }]);
    expect(await recovery.find(began)).toEqual([]);

    // The client's own total is that of the claim, so its next voucher fits.
    const more = { ...CHAT, max_tokens: 17 };
    expect((await caller.buy(restored, URL, more)).status).toBe(200);
    expect(await totals()).toEqual([{ charged: '4000', base: '2000' }]);
    await restored.expectBooksToBalance();
    await restored.stop();
  });
});
