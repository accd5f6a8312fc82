import { setTimeout as pause } from 'node:timers/promises';

import { ChannelRepository } from '#money/billing/rails/channel/channel.repository';
import { ChannelCaller } from '../support/channel-caller';
import { type ChannelStage, channelStage } from './channel-world';

const CHAT = { messages: [{ role: 'user', content: 'a lamp' }] };

describe('equal calls with a deposit at once', () => {
  let stage: ChannelStage;

  beforeAll(async () => {
    stage = await channelStage();
  });
  afterAll(() => stage.stop());

  it('are one deposit and one charge, although the first is not mined when the others come', async () => {
    const { world, chain } = stage;
    const caller = await new ChannelCaller(chain).minted();
    const payment = await caller.pay(world, '/v1/agent/chat', CHAT);
    const send = () => caller.send(world, '/v1/agent/chat', CHAT, payment);
    await chain.pauseMining();

    const first = send();
    await pause(300);
    const others = [send(), send()];
    await pause(1_000);
    await chain.resumeMining();

    const answers = await Promise.all([first, ...others]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ headers }) => headers['x-charge-id'])).size).toBe(1);
    await world.expectBooksToBalance();
  });
  it('are covered by the deposit although each has read the chain at another time', async () => {
    const { world, chain } = stage;
    const caller = await new ChannelCaller(chain).minted();
    const payment = await caller.pay(world, '/v1/agent/chat', CHAT);
    expect((await caller.send(world, '/v1/agent/chat', CHAT, payment)).status).toBe(200);
    const channels = world.app.get(ChannelRepository, { strict: false });
    const { voucher, deposit } = payment.payload;
    const id = voucher.channelId.toLowerCase() as `0x${string}`;
    await world.db.rows('update channel set payer_proven = false where id = $1', [id]);

    const kept = await channels.mirror(
      id,
      payment.accepted.network,
      (await channels.find(id))!,
      { balance: 0n, claimed: 0n, withdrawRequestedAt: 0, refundNonce: 0n } as never,
      { ageMs: 60_000, payerProven: true },
    );

    expect(kept).toMatchObject({ id, balance: BigInt(deposit!.amount), payerProven: true });
    await world.expectBooksToBalance();
  });
});
