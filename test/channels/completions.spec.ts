import { decodePaymentResponseHeader } from '@x402/core/http';
import OpenAI from 'openai';

import { ChannelCaller } from '../support/channel-caller';
import { WalletCaller } from '../support/caller';
import { decodeHeader } from '../x402/x402-world';
import { type ChannelStage, channelStage } from './channel-world';

const URL = '/v1/chat/completions';
const ASK = {
  model: 'lumen-flash',
  messages: [{ role: 'user' as const, content: 'hello' }],
  max_tokens: 4_000,
};

interface Paid {
  readonly chargedAmount: string;
  readonly channelState: { readonly chargedCumulativeAmount: string };
}

describe('completions by channel', () => {
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

  const charges = () =>
    stage.world.db.rows<{ state: string; price: string; list: string; signed: string }>(
      `select state, price_micro::text as price, list_micro::text as list, signed_micro::text as signed
       from charge join channel_voucher v on v.charge_id = charge.id where payer = $1 order by created_at`,
      [caller.wallet.toLowerCase()],
    );

  it('are charged their use, below the ceiling of the voucher', async () => {
    const pay = caller.channelFetch();
    const send = () =>
      pay(`${stage.url}${URL}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(ASK),
      });

    const first = await send();
    const second = await send();

    expect([first.status, second.status]).toEqual([200, 200]);
    const [one, two] = await charges();
    expect(one).toMatchObject({ state: 'charged', price: '2000' });
    expect(BigInt(one!.signed)).toBeGreaterThan(2_000n);
    expect(BigInt(two!.signed)).toBe(2_000n + BigInt(one!.signed));
    expect(first.headers.get('x-charge-micro')).toBe('2000');
    const { extra } = decodePaymentResponseHeader(second.headers.get('payment-response')!);
    expect(extra as unknown as Paid).toMatchObject({
      chargedAmount: '2000',
      channelState: { chargedCumulativeAmount: '4000' },
    });
  });

  it('stream to the stock OpenAI client, and name the payment before the end', async () => {
    let sent = '';
    const pay = caller.channelFetch();
    const client = new OpenAI({
      apiKey: 'sk-none',
      baseURL: `${stage.url}/v1`,
      defaultHeaders: { authorization: null },
      fetch: async (url, init) => {
        const answer = await pay(url as string, init as RequestInit);
        void answer
          .clone()
          .text()
          .then((text) => {
            sent = text;
          });
        return answer;
      },
    });

    const stream = await client.chat.completions.create({
      ...ASK,
      stream: true,
      stream_options: { include_usage: true },
    });
    let words = '';
    for await (const { choices } of stream) words += choices[0]?.delta.content ?? '';

    expect(words).not.toBe('');
    const [charge] = await charges();
    expect(charge).toMatchObject({ state: 'charged', price: '2000' });
    const proof = /\n: payment-response ([A-Za-z0-9+/=]+)\n\ndata: \[DONE\]\n\n$/.exec(sent)?.[1];
    expect(decodeHeader(proof)).toMatchObject({
      success: true,
      extra: { chargedAmount: '2000', channelState: { chargedCumulativeAmount: '2000' } },
    });
  });

  it('are also paid by a signed-in wallet, at the same price', async () => {
    const wallet = await new WalletCaller().fund(stage.world, 1_000_000n);

    const answer = await stage.world.post(URL, ASK, { 'sign-in-with-x': await wallet.signIn(stage.world) });

    expect(answer.status).toBe(200);
    expect(answer.headers['x-charge-micro']).toBe('2000');
    expect(answer.headers['x-balance-micro']).toBe('998000');
  });

  it('answer an unpaid call with the offer of a channel alone', async () => {
    const answer = await stage.world.post(URL, ASK);

    const { accepts } = decodeHeader(answer.headers['payment-required']) as never as {
      accepts: { scheme: string }[];
    };
    expect(answer.status).toBe(402);
    expect(accepts.map(({ scheme }) => scheme)).toEqual(['batch-settlement']);
    expect(answer.body.accepts).toEqual([]);
  });

  it('charge nothing for a model that fails, and the voucher may be signed again', async () => {
    const payment = await caller.pay(stage.world, URL, {
      ...ASK,
      messages: [{ role: 'user', content: 'hi' }],
    });
    const wrong = await caller.send(stage.world, URL, { ...ASK, model: 'none' }, payment);

    expect(wrong.status).toBe(400);
    expect(await charges()).toEqual([]);
  });
});
