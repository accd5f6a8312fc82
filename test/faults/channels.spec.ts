import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { toFunctionSelector } from 'viem';

import { ChannelClaims } from '#money/billing/rails/channel/channel-claims';
import { type LocalChain, startLocalChain } from '../../tools/chain/local-chain';
import { type RpcFaultProxy, startRpcFaultProxy } from '../../tools/chain/rpc-fault-proxy';
import { ChannelCaller, type ChannelPayload } from '../support/channel-caller';
import { expectEventually } from '../support/eventually';
import { IS_NIGHTLY } from '../support/nightly';
import { cloneDatabase } from '../support/postgres';
import { World } from '../support/world';
import { encodeHeader } from '../x402/x402-world';
import { PAY_TO } from '../channels/channel-world';
import { Deployment } from './deployment';
import { testStep } from './matrix';
import { CHANNEL_MOMENTS, type Hands, type Moment, stopAt } from './moments';
import { MONEY, PayingClient, chatOf } from './paying-client';

const { VOUCHING, GROWING } = CHANNEL_MOMENTS;
const [API, OTHER] = [0, 1];
const SHORT = chatOf('Say something short.');
const SOAK = IS_NIGHTLY ? { calls: 10_000, channels: 50, kills: 20 } : { calls: 200, channels: 10, kills: 1 };
/** The call data of a deposit begins with these bytes, and so does that of its simulation. */
const DEPOSIT = toFunctionSelector(
  'deposit((address,address,address,address,address,uint40,bytes32),uint128,address,bytes)',
);
const COMPLETIONS = '/v1/chat/completions';
/** More tries than a client needs while a process is replaced. */
const TRIES_MAX = 400;

jest.setTimeout(IS_NIGHTLY ? 3_600_000 : 300_000);

/** One wallet pays its first call by channel, with the deposit, and sends its next calls to the other process. */
describe('a call by channel', () => {
  let chain: LocalChain;
  let rpc: RpcFaultProxy;
  let deployment: Deployment;
  let client: PayingClient;
  let hands: Hands | undefined;
  let settings: Readonly<Record<string, string>>;

  beforeAll(async () => {
    chain = await startLocalChain();
    rpc = await startRpcFaultProxy(chain.rpcUrl);
    settings = {
      X402_FACILITATOR: 'local',
      X402_PAY_TO: PAY_TO,
      X402_RPC_URL: rpc.url,
      X402_CHANNEL_KEY: chain.accounts[1]!.privateKey,
      X402_CHANNEL_WITHDRAW_SECONDS: '900',
      X402_CHANNEL_CLAIM_SECONDS: '86400',
      X402_CHANNEL_CLAIM_MICRO: '1000000000',
    };
    const relayers = [1, 2].map((n) => ({ ...settings, X402_RELAYER_KEY: chain.accounts[n]!.privateKey }));
    deployment = await Deployment.start(await cloneDatabase(), relayers);
  });

  afterEach(async () => {
    rpc.reset();
    await hands?.close();
    hands = undefined;
    await deployment.expectPeace();
  });

  afterAll(async () => {
    await deployment.stop();
    await rpc.stop();
    await chain.stop();
  });

  const chargedOf = async (payer: string): Promise<bigint> => {
    const [row] = await deployment.db.rows<{ charged: string }>(
      'select charged_micro::text as charged from channel where payer = $1',
      [payer.toLowerCase()],
    );
    return BigInt(row?.charged ?? 0);
  };
  const newClient = async (): Promise<void> => {
    const caller = await new ChannelCaller(chain).minted();
    client = await PayingClient.of(
      deployment,
      'channel',
      {
        payer: caller.wallet,
        left: async () => MONEY - (await chargedOf(caller.wallet)),
        credential: async (body: object) => ({
          'payment-signature': encodeHeader(await caller.pay(deployment.asWorld(), SHORT.url, body)),
        }),
      },
      SHORT,
    );
  };
  const stopped = async (moment: Moment, send = () => client.send(API)) => {
    await newClient();
    let first: ReturnType<PayingClient['send']> | undefined;
    hands = await stopAt(deployment.databaseUrl, moment, () => {
      first = send();
    });
    return { first: first!, holder: hands };
  };
  const expectPaidOnce = async (place = OTHER) => {
    await deployment.endLeases();
    const answer = await client.sendUntilAnswered(place);
    await client.expectPaidOnce();
    const deposits = await chain.usdc.transferEvents({ from: client.caller.payer as `0x${string}` });
    expect(deposits).toHaveLength(1);
    return answer;
  };

  const killed = (moment: Moment) => async () => {
    const { first, holder } = await stopped(moment);
    await deployment.kill(API);
    await holder.letGo();
    await holder.untilNobodyWaits(moment);
    await first;
    await expectPaidOnce();
  };
  const undone = (moment: Moment) => async () => {
    const { first, holder } = await stopped(moment);
    await deployment.kill(API);
    await holder.cutOff(moment);
    await holder.letGo();
    await first;
    await expectPaidOnce();
  };
  const paused = (moment: Moment) => async () => {
    const { first, holder } = await stopped(moment);
    await deployment.pause(API);
    await holder.letGo();
    await deployment.endLeases();
    await deployment.resume(API);
    await first;
    await expectPaidOnce();
  };
  const disconnected = (moment: Moment) => async () => {
    const { first, holder } = await stopped(moment);
    await holder.cutAllConnections();
    await holder.letGo();
    await first;
    await expectPaidOnce();
  };
  const left = (moment: Moment) => async () => {
    const gone = new AbortController();
    const { first, holder } = await stopped(moment, () => client.send(API, gone.signal));
    gone.abort();
    await holder.letGo();
    await first;
    await expectPaidOnce();
  };
  const otherBody = (moment: Moment) => async () => {
    const { first, holder } = await stopped(moment);
    await holder.letGo();
    await first;
    const { status } = await client.sendOtherBody(OTHER);
    expect([402, 422]).toContain(status);
    await expectPaidOnce();
  };
  const again = (moment: Moment) => async () => {
    const { first, holder } = await stopped(moment);
    await holder.letGo();
    await first;
    const answers = [await expectPaidOnce(), await expectPaidOnce(API)];
    expect(answers.map(({ headers }) => headers['idempotent-replayed'])).toEqual(['true', 'true']);
  };

  testStep(2, {
    a: {
      'the hold is committed, and the other process ends it': killed(VOUCHING),
      'the hold is undone, and its deposit pays the same call': undone(VOUCHING),
    },
    d: { 'the call is decided once': paused(VOUCHING) },
    e: { 'the same voucher pays the same call': disconnected(VOUCHING) },
    s: {
      'nothing is charged, and the same deposit is made once': async () => {
        await newClient();
        rpc.fail('*', 'down');
        expect((await client.send(API))?.status).toBe(503);
        expect(await client.states()).not.toContain('charged');
        rpc.reset();
        await expectPaidOnce();
      },
      'a deposit that the node could not simulate is not refused': async () => {
        await newClient();
        rpc.fail('eth_call', 'down', Infinity, DEPOSIT);
        expect((await client.send(API))?.status).toBe(503);
        rpc.reset();
        await expectPaidOnce();
      },
    },
    w: { 'the work is done, and its answer is kept': left(VOUCHING) },
    y: { 'the other body buys nothing': otherBody(VOUCHING) },
    z: { 'the first answer is repeated': again(VOUCHING) },
  });

  testStep(7, {
    a: {
      'the new total is committed with the charge': killed(GROWING),
      'the old total stays, and the same voucher pays': undone(GROWING),
    },
    d: { 'the call is decided once': paused(GROWING) },
    e: { 'the same voucher pays the same call': disconnected(GROWING) },
    s: {
      'the call is charged: no charge waits for the chain': async () => {
        const { first, holder } = await stopped(GROWING);
        rpc.fail('*', 'down');
        await holder.letGo();
        expect((await first)?.status).toBe(200);
        rpc.reset();
        await expectPaidOnce();
      },
    },
    w: { 'the answer is kept': left(GROWING) },
    y: { 'the other body buys nothing': otherBody(GROWING) },
    z: { 'the first answer is repeated': again(GROWING) },
  });

  describe('many streams over many channels, with kills', () => {
    interface Buyer {
      readonly caller: ChannelCaller;
      readonly seen: Map<string, bigint>;
      payment: ChannelPayload | undefined;
    }

    /** The charge that the last event of a stream contains. */
    const chargeIn = (text: string): { id: string; priceMicro: number } | undefined =>
      [...text.matchAll(/^data: (\{.*)$/gm)]
        .map(([, event]) => (JSON.parse(event!) as { charge?: { id: string; priceMicro: number } }).charge)
        .find((charge) => charge !== undefined);

    let place = 0;
    const body = (n: number) => ({
      messages: [{ role: 'user', content: `Say ${n}.` }],
      max_tokens: 32,
      stream: true,
      stream_options: { include_usage: true },
    });
    const asked = async (n: number, headers: Readonly<Record<string, string>> = {}) => {
      place += 1;
      const answer = await fetch(`${await deployment.url(place % 2)}${COMPLETIONS}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body(n)),
      });
      return { answer, text: await answer.text() };
    };
    /** Sends the same request until it gets a final answer. */
    const insist = async (n: number, wanted: number, headers?: Readonly<Record<string, string>>) => {
      let last: unknown;
      for (let tries = 0; tries < TRIES_MAX; tries += 1) {
        try {
          const { answer, text } = await asked(n, headers);
          if (answer.status === wanted && (wanted !== 200 || chargeIn(text) !== undefined))
            return { answer, text };
          last = `${answer.status} ${text.slice(0, 300)}`;
          if (![200, 409, 503].includes(answer.status)) break;
        } catch (error) {
          last = error;
        }
        await pause(250);
      }
      throw new Error(`Call ${n} got no answer: ${String(last)}`);
    };
    const buy = async ({ caller, seen }: Buyer, n: number): Promise<ChannelPayload> => {
      const { answer } = await insist(n, 402);
      const headers = Object.fromEntries(answer.headers);
      const payment = await caller.payFor({ status: 402, headers, body: undefined });
      const { text } = await insist(n, 200, {
        'payment-signature': encodeHeader(payment),
        'idempotency-key': `soak-${randomBytes(8).toString('hex')}`,
      });
      const { id, priceMicro } = chargeIn(text)!;
      seen.set(id, BigInt(priceMicro));
      const { channelId } = payment.payload.voucher;
      const known = await caller.storage.get(channelId);
      const deposit = BigInt(payment.payload.deposit?.amount ?? 0);
      await caller.storage.set(channelId, {
        chargedCumulativeAmount: String([...seen.values()].reduce((sum, micro) => sum + micro, 0n)),
        balance: String(BigInt(known?.balance ?? 0) + deposit),
      });
      return payment;
    };

    it(`${SOAK.calls} calls over ${SOAK.channels} channels: both sides have the same totals`, async () => {
      const buyers: Buyer[] = [];
      for (let made = 0; made < SOAK.channels; made += 1)
        buyers.push({ caller: await new ChannelCaller(chain).minted(), seen: new Map(), payment: undefined });
      // The last call leaves a part of its deposit unspent.
      const each = SOAK.calls / SOAK.channels + 1;
      let done = 0;
      let kills = 0;
      await Promise.all(
        buyers.map(async (buyer) => {
          for (let n = 0; n < each; n += 1) {
            buyer.payment = await buy(buyer, n);
            done += 1;
            if (kills >= SOAK.kills || done < ((kills + 1) * SOAK.calls) / (SOAK.kills + 1)) continue;
            kills += 1;
            await deployment.kill(kills % 2);
            await deployment.endLeases();
          }
        }),
      );

      let sum = 0n;
      for (const { caller, seen } of buyers) {
        const total = [...seen.values()].reduce((before, micro) => before + micro, 0n);
        expect([seen.size, await chargedOf(caller.wallet)]).toEqual([each, total]);
        sum += total;
      }
      expect(kills).toBe(SOAK.kills);

      const before = await chain.usdc.balanceOf(PAY_TO);
      const earlier = (await chain.channels.claims()).length;
      const world = await World.start({
        ...settings,
        DATABASE_URL: deployment.databaseUrl,
        X402_RELAYER_KEY: chain.accounts[1]!.privateKey,
      });
      const owed = await deployment.db.rows<{ owed: string }>(
        'select sum(charged_micro - claimed_micro)::text as owed from channel',
      );
      await world.app.get(ChannelClaims, { strict: false }).claimOwed();
      const claims = (await chain.channels.claims()).slice(earlier);
      expect(claims.length).toBeGreaterThanOrEqual(SOAK.channels);
      expect(new Set(claims.map(({ transaction }) => transaction)).size).toBe(1);
      expect((await chain.usdc.balanceOf(PAY_TO)) - before).toBe(BigInt(owed[0]!.owed));
      expect(BigInt(owed[0]!.owed)).toBeGreaterThanOrEqual(sum);

      // The first buyer requests a refund, and the second withdraws on the chain without the service.
      const [asks, withdraws] = buyers as [Buyer, Buyer];
      await asks.caller.scheme.refund(`${await deployment.url(API)}/v1/agent/x402/channels`);
      const { channelConfig, voucher } = withdraws.payment!.payload;
      const { balance, claimed } = await chain.channels.state(voucher.channelId);
      const { privateKey } = withdraws.caller;
      await chain.channels.initiateWithdraw(privateKey, channelConfig, balance - claimed);
      await chain.client.increaseTime({ seconds: 901 });
      await chain.channels.finalizeWithdraw(privateKey, channelConfig);
      for (const { caller, seen } of [asks, withdraws]) {
        const paid = [...seen.values()].reduce((total, micro) => total + micro, 0n);
        expect(await chain.usdc.balanceOf(caller.account.address)).toBe(20_000_000n - paid);
      }
      await world.stop();
    });

    it('leave nothing owed that a process has lost', () =>
      expectEventually(async () => {
        const rows = await deployment.db.rows('select id from channel where open_charge_id is not null');
        return rows.length === 0;
      }));
  });
});
