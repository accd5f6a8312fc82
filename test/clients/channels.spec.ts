import { decodePaymentResponseHeader } from '@x402/core/http';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

import { Budget, Lamppost, type LamppostOptions } from '../../clients/typescript/src/lamppost';
import { USDC_ADDRESS } from '../../tools/chain/test-usdc';
import { PackedProject } from './packed-project';
import { runCommand } from '../support/code-blocks';

import { ChannelCaller } from '../support/channel-caller';
import { decodeHeader } from '../x402/x402-world';
import { type ChannelStage, PAY_TO, channelStage } from '../channels/channel-world';

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

  describe('the client of the package', () => {
    const client = (more: LamppostOptions = {}) =>
      new Lamppost({
        baseUrl: stage.url,
        wallet: caller.account,
        pay: 'channel',
        assets: [USDC_ADDRESS],
        tries: 2,
        ...more,
      });
    const channels = () =>
      stage.world.db.rows<{ charged: string; balance: string }>(
        'select charged_micro::text as charged, balance_micro::text as balance from channel where payer = $1',
        [caller.wallet.toLowerCase()],
      );

    it('deposits once up to its bound, and its budget counts the charges of vouchers', async () => {
      const budget = new Budget({ total: 5 });
      const payer = client({ budget, deposit: 2 });

      const answers = await Promise.all(['One.', 'Two.'].map((text) => payer.chat(text, { maxTokens: 16 })));
      let said = '';
      for await (const { text } of payer.stream('Three.', { maxTokens: 4_000 })) said += text;

      expect(answers.map(({ charge }) => charge.micro)).toEqual([2_000, 2_000]);
      expect(said).not.toBe('');
      expect(await channels()).toEqual([{ charged: '6000', balance: '2000000' }]);
      expect(await onChain()).toBe(18_000_000n);
      // The last voucher signs the highest price of its call, and the service may keep it.
      const [{ signed } = { signed: 0 }] = await stage.world.db.rows<{ signed: number }>(
        'select signed_micro::integer as signed from channel where payer = $1',
        [caller.wallet.toLowerCase()],
      );
      expect(signed).toBeGreaterThan(6_000);
      const state = { spentMicro: signed, reservedMicro: 0, leftMicro: 5_000_000 - signed };
      expect(await budget.state()).toEqual(state);
      await payer.chat('Four.', { maxTokens: 16 });
      // The next voucher is covered by what was signed before, as far as it goes.
      expect((await budget.state()).spentMicro).toBe(Math.max(signed, 8_000));
    });

    it('continues the channel of another process by the proof of its own signature', async () => {
      await client().chat('One.', { maxTokens: 16 });
      await client().chat('Two.', { maxTokens: 16 });
      const left = client();
      for await (const _ of left.stream('Three.', { maxTokens: 4_000 })) break;
      await left.chat('Four.', { maxTokens: 16 });

      const [channel] = await channels();
      expect(BigInt(channel!.charged)).toBeGreaterThanOrEqual(6_000n);
      expect(channel!.balance).toBe('1000000');
      expect(await onChain()).toBe(19_000_000n);
    });

    it('signs nothing where the call needs a larger deposit than its bound, or than its budget', async () => {
      await expect(client({ deposit: 0.001 }).chat('One.', { maxTokens: 16 })).rejects.toThrow(
        'Nothing was signed: the channel lacks $0.002',
      );
      const poor = client({ budget: { perCall: 0.001 } });
      await expect(poor.chat('One.', { maxTokens: 16 })).rejects.toThrow('The call costs $0.002');

      expect(await channels()).toEqual([]);
      expect(await onChain()).toBe(20_000_000n);
    });

    it('deposits no more than its bound, though the service denies its channel each time', async () => {
      const signed: { payload: { deposit?: { amount: string }; voucher: { maxClaimableAmount: string } } }[] =
        [];
      const lying: typeof fetch = async (url, init) => {
        const header = new Headers(init?.headers).get('payment-signature');
        if (header === null) return fetch(url, init);
        signed.push(decodeHeader(header) as never);
        const unpaid = new Headers(init?.headers);
        unpaid.delete('payment-signature');
        const asked = await fetch(url, { ...init, headers: unpaid });
        const required = decodeHeader(asked.headers.get('payment-required')!);
        const error = 'invalid_batch_settlement_evm_channel_not_found';
        const lie = Buffer.from(JSON.stringify({ ...required, error })).toString('base64');
        return new Response('{}', { status: 402, headers: { 'payment-required': lie } });
      };
      const payer = client({ fetch: lying, deposit: 0.005 });

      for (let calls = 0; calls < 3; calls += 1)
        await expect(payer.chat('One.', { maxTokens: 16 })).rejects.toThrow(/Nothing was signed|402/);

      const deposits = signed.map(({ payload }) => Number(payload.deposit?.amount ?? 0));
      expect(deposits.reduce((sum, micro) => sum + micro, 0)).toBe(5_000);
      expect(new Set(signed.map(({ payload }) => payload.voucher.maxClaimableAmount))).toEqual(
        new Set(['2000']),
      );
    });

    it('deposits no more than its bound, also when the time of its deposits is over and nobody answered them', async () => {
      const deposits: number[] = [];
      const silent: typeof fetch = (url, init) => {
        const header = new Headers(init?.headers).get('payment-signature');
        if (header === null) return fetch(url, init);
        const { payload } = decodeHeader(header) as never as { payload: { deposit?: { amount: string } } };
        deposits.push(Number(payload.deposit?.amount ?? 0));
        return Promise.reject(new TypeError('broken off'));
      };
      const payer = client({ fetch: silent, deposit: 0.005, tries: 1 });
      const now = Date.now();
      for (let hours = 0; hours < 3; hours += 1) {
        jest.spyOn(Date, 'now').mockReturnValue(now + hours * 3_600_000);
        await expect(payer.chat('One.', { maxTokens: 16 })).rejects.toThrow(/Nothing was signed|broke off/);
      }
      jest.restoreAllMocks();

      expect(deposits.reduce((sum, micro) => sum + micro, 0)).toBe(5_000);
    });

    it('signs for one cost of a stream, however many costs the service reports', async () => {
      const totals: number[] = [];
      const lying: typeof fetch = async (url, init) => {
        const header = new Headers(init?.headers).get('payment-signature');
        if (header !== null) {
          const { payload } = decodeHeader(header) as never as {
            payload: { voucher: { maxClaimableAmount: string } };
          };
          totals.push(Number(payload.voucher.maxClaimableAmount));
        }
        const answer = await fetch(url, init);
        if (answer.headers.get('content-type')?.startsWith('text/event-stream') !== true) return answer;
        const text = await answer.text();
        const cost = text.split('\n\n').find((event) => event.includes('"charge"'))!;
        return new Response(text.replace(cost, Array(50).fill(cost).join('\n\n')), {
          headers: answer.headers,
        });
      };
      const payer = client({ fetch: lying });
      const costs: number[] = [];
      for await (const { charge } of payer.stream('One.', { maxTokens: 400 }))
        if (charge) costs.push(charge.micro);
      await payer.chat('Two.', { maxTokens: 16 });

      expect(costs).toHaveLength(1);
      expect(totals.at(-1)).toBe(costs[0]! + 2_000);
    });

    it('hands out no more vouchers than its budget, though the service reports every call as free', async () => {
      const total = 0.009;
      const budget = new Budget({ total });
      const highest: bigint[] = [];
      const lying: typeof fetch = async (input, init) => {
        if (/channels\/0x/.test(String(input instanceof Request ? input.url : input)))
          return Response.json({ chargedMicro: 0, claimedMicro: 0, balanceMicro: 1_000_000 });
        const header = new Headers(init?.headers).get('payment-signature');
        if (header === null) return fetch(input, init);
        const { payload } = JSON.parse(Buffer.from(header, 'base64').toString()) as {
          payload: { voucher: { maxClaimableAmount: string; signature: string }; channelConfig: object };
        };
        highest.push(BigInt(payload.voucher.maxClaimableAmount));
        // The service keeps the voucher, says that the call cost nothing, and proves a total by the voucher itself.
        const unpaid = await fetch(input, { ...init, headers: { 'content-type': 'application/json' } });
        const required = JSON.parse(
          Buffer.from(unpaid.headers.get('payment-required')!, 'base64').toString(),
        ) as { error: string; accepts: { scheme: string; extra: Record<string, unknown> }[] };
        required.error = 'invalid_batch_settlement_evm_cumulative_amount_mismatch';
        const { maxClaimableAmount, signature } = payload.voucher;
        for (const { extra, scheme } of required.accepts)
          if (scheme === 'batch-settlement')
            Object.assign(extra, {
              channelState: {
                chargedCumulativeAmount: maxClaimableAmount,
                balance: '1000000',
                totalClaimed: '0',
              },
              voucherState: { signedMaxClaimable: maxClaimableAmount, signature },
            });
        return new Response(await unpaid.text(), {
          status: 402,
          headers: {
            'content-type': 'application/json',
            'x-charge-state': 'released',
            'payment-required': Buffer.from(JSON.stringify(required)).toString('base64'),
          },
        });
      };
      const payer = client({ budget, deposit: 1, fetch: lying });

      for (let calls = 0; calls < 6; calls += 1)
        await payer.chat(`Call ${calls}.`, { maxTokens: 16 }).catch(() => undefined);

      const most = highest.reduce((one, other) => (one > other ? one : other), 0n);
      expect(most).toBeGreaterThan(2_000n);
      expect(Number(most)).toBeLessThanOrEqual(total * 1e6);
      expect((await budget.state()).spentMicro + (await budget.state()).reservedMicro).toBe(Number(most));
    });

    it('signs no total that the service only claims', async () => {
      const honest = client();
      await honest.chat('One.', { maxTokens: 16 });
      const totals: string[] = [];
      const lying: typeof fetch = async (url, init) => {
        const header = new Headers(init?.headers).get('payment-signature');
        if (header !== null) {
          const { payload } = decodeHeader(header) as never as {
            payload: { voucher: { maxClaimableAmount: string } };
          };
          totals.push(payload.voucher.maxClaimableAmount);
        }
        const answer = await fetch(url, init);
        const written = answer.headers.get('payment-required');
        if (header === null || written === null) return answer;
        const required = decodeHeader(written) as never as {
          accepts: {
            extra: { channelState?: Record<string, string>; voucherState?: Record<string, string> };
          }[];
        };
        for (const { extra } of required.accepts) {
          if (extra.channelState === undefined) continue;
          extra.channelState['chargedCumulativeAmount'] = '900000';
          extra.voucherState!['signedMaxClaimable'] = '900000';
        }
        const lie = Buffer.from(JSON.stringify(required)).toString('base64');
        return new Response('{}', { status: 402, headers: { 'payment-required': lie } });
      };

      await expect(client({ fetch: lying }).chat('Two.', { maxTokens: 16 })).rejects.toThrow(/402/);

      expect(totals.map(Number).every((total) => total <= 4_000)).toBe(true);
      expect(totals.length).toBeGreaterThan(0);
    });

    it('opens, shows and closes a channel on the command line, as it is packed', async () => {
      const privateKey = generatePrivateKey();
      const { address } = privateKeyToAccount(privateKey);
      await stage.chain.usdc.mint(address, 5_000_000n);
      const project = PackedProject.make().link('node_modules/viem', 'node_modules/@x402');
      const env = { LAMPPOST_URL: stage.url, LAMPPOST_PRIVATE_KEY: privateKey, LAMPPOST_KEY: '' };
      const lamppost = (...args: string[]) =>
        runCommand(process.execPath, ['node_modules/lamppost/dist/esm/cli.js', ...args], project.folder, env);

      const unasked = await lamppost('channel', 'open', '3');
      const undeposited = await lamppost('chat', 'Hello.', '--pay', 'channel');
      const opened = await lamppost('channel', 'open', '3', '--yes');
      const paid = await lamppost('chat', 'Hello.', '--pay', 'channel', '--tokens', '16', '--max', '1');
      const shown = await lamppost('channel', 'balance', '--json');
      const closed = await lamppost('channel', 'close');

      expect([unasked.exitCode, unasked.errors]).toEqual([3, expect.stringContaining('Nothing was signed')]);
      expect([undeposited.exitCode, undeposited.errors]).toEqual([
        2,
        expect.stringContaining('channel open'),
      ]);
      expect(opened).toEqual({ exitCode: 0, errors: '', output: expect.stringContaining('$2.998 unspent') });
      expect(paid).toMatchObject({ exitCode: 0, errors: '$0.002\n' });
      expect(JSON.parse(shown.output)).toMatchObject({ chargedMicro: 4_000, balanceMicro: 3_000_000 });
      expect(closed).toMatchObject({
        exitCode: 0,
        output: expect.stringMatching(/^\$2\.996 returned by 0x/),
      });
      expect(await stage.chain.usdc.balanceOf(address)).toBe(4_996_000n);
    }, 300_000);
  });
});
