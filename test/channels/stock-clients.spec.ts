import { decodePaymentResponseHeader } from '@x402/core/http';

import { ChannelCaller } from '../support/channel-caller';
import { decodeHeader } from '../x402/x402-world';
import { type ChannelStage, PAY_TO, channelStage } from './channel-world';

const CHAT = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 };
const chat = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(CHAT) };

interface Extra {
  readonly channelState: { readonly chargedCumulativeAmount: string };
}

describe('stock clients of channels', () => {
  let stage: ChannelStage;
  let caller: ChannelCaller;

  beforeAll(async () => {
    stage = await channelStage();
  });

  beforeEach(async () => {
    caller = await new ChannelCaller(stage.chain).minted();
  });

  afterEach(() => stage.world.expectBooksToBalance());
  afterAll(() => stage.stop());

  const onChain = () => stage.chain.usdc.balanceOf(caller.account.address);

  it('are offered a channel after the payment for one call', async () => {
    const answer = await stage.world.post('/v1/agent/chat', CHAT);

    const { accepts } = decodeHeader(answer.headers['payment-required']) as never as {
      accepts: { scheme: string; amount: string; extra: Record<string, unknown> }[];
    };
    expect(accepts.map(({ scheme }) => scheme)).toEqual(['exact', 'batch-settlement']);
    expect(accepts[1]).toMatchObject({
      amount: accepts[0]!.amount,
      extra: { withdrawDelay: 900, receiverAuthorizer: stage.chain.accounts[0]!.address, name: 'USD Coin' },
    });
    expect(answer.body.accepts.map(({ scheme }: { scheme: string }) => scheme)).toEqual(['exact']);
  });

  it('@x402/fetch with channels only deposits once and pays each call exactly', async () => {
    const pay = caller.channelFetch();

    const answers = [];
    for (let calls = 0; calls < 3; calls += 1) answers.push(await pay(`${stage.url}/v1/agent/chat`, chat));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await onChain()).toBe(20_000_000n - 20_000n);
    const totals = answers.map(({ headers }) =>
      decodePaymentResponseHeader(headers.get('payment-response')!),
    );
    expect(
      totals.map(({ extra }) => (extra as unknown as Extra).channelState.chargedCumulativeAmount),
    ).toEqual(['2000', '4000', '6000']);
    expect(totals.map(({ transaction }) => transaction !== '')).toEqual([true, false, false]);
    expect(await stage.chain.usdc.balanceOf(PAY_TO)).toBe(0n);
  });

  it('@x402/fetch with both schemes takes the first, as before', async () => {
    const answer = await caller.channelFetch({ exactFirst: true })(`${stage.url}/v1/agent/chat`, chat);

    expect(answer.status).toBe(200);
    expect(await onChain()).toBe(20_000_000n - 2_000n);
    expect(
      await stage.world.db.rows('select from channel where payer = $1', [caller.wallet.toLowerCase()]),
    ).toEqual([]);
  });

  it('a client that lost its totals gets them by the corrective 402, and pays on', async () => {
    const pay = caller.channelFetch();
    await pay(`${stage.url}/v1/agent/chat`, chat);
    const again = caller.channelFetch();
    const keys = await stage.world.db.rows<{ id: string }>('select id from channel where payer = $1', [
      caller.wallet.toLowerCase(),
    ]);
    await caller.storage.set(keys[0]!.id, {
      chargedCumulativeAmount: '0',
      balance: '20000',
      totalClaimed: '0',
    });

    const answer = await again(`${stage.url}/v1/agent/chat`, {
      ...chat,
      body: JSON.stringify({ ...CHAT, max_tokens: 17 }),
    });

    expect(answer.status).toBe(200);
    expect(
      await stage.world.db.rows('select charged_micro from channel where id = $1', [keys[0]!.id]),
    ).toEqual([{ charged_micro: '4000' }]);
  });
});
