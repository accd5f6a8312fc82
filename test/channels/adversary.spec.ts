import { privateKeyToAccount, generatePrivateKey } from 'viem/accounts';

import { ChannelClaims } from '#money/billing/rails/channel/channel-claims';
import { ChannelFacilitator } from '#money/billing/rails/channel/channel-facilitator';
import { ChannelRepository } from '#money/billing/rails/channel/channel.repository';
import { ChannelTerms } from '#money/billing/rails/channel/channel-terms';
import { ChannelRail } from '#money/billing/rails/channel/channel.rail';
import type { ChannelAccess } from '#money/billing/rails/x402/facilitators/facilitator';
import { PaymentUnavailable } from '#money/billing/rails/x402/x402.errors';
import { micro } from '#kernel/money';
import { ChargeRepository } from '#money/billing/charges/charge.repository';
import { ChannelCaller, type ChannelPayload } from '../support/channel-caller';
import { World } from '../support/world';
import { decodeHeader } from '../x402/x402-world';
import { type ChannelStage, channelStage } from './channel-world';

const CHAT = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 };
const URL = '/v1/agent/chat';
const saying = (content: string) => ({ ...CHAT, messages: [{ role: 'user', content }] });

describe('an adversary of channels', () => {
  let stage: ChannelStage;
  let world: World;
  let caller: ChannelCaller;

  beforeAll(async () => {
    stage = await channelStage();
    ({ world } = stage);
  });

  beforeEach(async () => {
    caller = await new ChannelCaller(stage.chain).minted();
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => stage.stop());

  const channel = async (who = caller) => {
    const [row] = await world.db.rows<{ id: `0x${string}`; charged: string; open: string | null }>(
      'select id, charged_micro::text as charged, open_charge_id as open from channel where payer = $1',
      [who.wallet.toLowerCase()],
    );
    return row!;
  };
  const reasonOf = ({ headers }: { headers: Readonly<Record<string, string>> }) =>
    decodeHeader(headers['payment-required'])['error'];
  const wait = async (payment: ChannelPayload, body: object) => {
    const answer = await caller.send(world, URL, body, payment);
    await caller.learn(payment, answer);
    return answer;
  };

  it('gets the first answer for a replayed voucher, and nothing for it with another body', async () => {
    await caller.buy(world, URL, CHAT);
    const payment = await caller.pay(world, URL, saying('one'));
    const first = await wait(payment, saying('one'));

    const same = await caller.send(world, URL, saying('one'), payment);
    const other = await caller.send(world, URL, saying('two'), payment);

    expect([first.status, same.status, other.status]).toEqual([200, 200, 402]);
    expect(same.headers).toMatchObject({
      'idempotent-replayed': 'true',
      'x-charge-id': first.headers['x-charge-id'],
      'payment-response': first.headers['payment-response'],
    });
    expect((await channel()).charged).toBe('4000');
  });

  it('is corrected when its voucher is stale or runs ahead', async () => {
    await caller.buy(world, URL, CHAT);
    const { id } = await channel();
    for (const base of ['0', '1999', '2001', '4000']) {
      await caller.storage.set(id, { chargedCumulativeAmount: base, balance: '20000' });
      const payment = await caller.pay(world, URL, saying(base));

      const answer = await caller.send(world, URL, saying(base), payment);

      expect([answer.status, reasonOf(answer)]).toEqual([
        402,
        'invalid_batch_settlement_evm_cumulative_amount_mismatch',
      ]);
      const { accepts } = decodeHeader(answer.headers['payment-required']) as never as {
        accepts: { extra: { channelState?: { chargedCumulativeAmount: string } } }[];
      };
      expect(accepts[1]!.extra.channelState!.chargedCumulativeAmount).toBe('2000');
    }
    expect((await channel()).charged).toBe('2000');
  });

  it('pays less in no field: amount, quote, receiver, delay, token, signature and id are checked', async () => {
    await caller.buy(world, URL, CHAT);
    const payment = await caller.pay(world, URL, CHAT);
    const cheap = await caller.pay(world, URL, saying('x'));
    const strange = '0x00000000000000000000000000000000000000aa';
    const changes: ((payment: ChannelPayload) => unknown)[] = [
      (p) => ({ ...p, accepted: { ...p.accepted, amount: '1' } }),
      (p) => ({ ...p, accepted: cheap.accepted }),
      (p) => ({
        ...p,
        payload: { ...p.payload, channelConfig: { ...p.payload.channelConfig, receiver: strange } },
      }),
      (p) => ({
        ...p,
        payload: { ...p.payload, channelConfig: { ...p.payload.channelConfig, token: strange } },
      }),
      (p) => ({
        ...p,
        payload: { ...p.payload, channelConfig: { ...p.payload.channelConfig, withdrawDelay: 901 } },
      }),
      (p) => ({
        ...p,
        payload: { ...p.payload, channelConfig: { ...p.payload.channelConfig, receiverAuthorizer: strange } },
      }),
      (p) => ({
        ...p,
        payload: { ...p.payload, channelConfig: { ...p.payload.channelConfig, payer: strange } },
      }),
      (p) => ({
        ...p,
        payload: {
          ...p.payload,
          voucher: { ...p.payload.voucher, signature: cheap.payload.voucher.channelId },
        },
      }),
      (p) => ({
        ...p,
        payload: { ...p.payload, voucher: { ...p.payload.voucher, maxClaimableAmount: '1e3' } },
      }),
      (p) => ({
        ...p,
        payload: { ...p.payload, voucher: { ...p.payload.voucher, maxClaimableAmount: '9'.repeat(40) } },
      }),
      (p) => ({ ...p, payload: null }),
    ];
    for (const change of changes) {
      const answer = await caller.send(world, URL, CHAT, change(payment) as object);

      expect([answer.status, answer.body.error.code]).toEqual([402, 'INVALID_PAYMENT']);
    }
    expect((await channel()).charged).toBe('2000');
  });

  it('does not become its victim by a channel that names the victim as payer', async () => {
    const victim = await new ChannelCaller(stage.chain).minted();
    const mark = { 'idempotency-key': 'a-mark-of-the-victim' };
    const paid = await victim.pay(world, URL, CHAT);
    expect((await victim.send(world, URL, CHAT, paid, mark)).status).toBe(200);
    const thief = privateKeyToAccount(generatePrivateKey());
    Object.assign(caller.scheme, {
      signer: { ...Reflect.get(caller.scheme, 'signer'), address: victim.account.address },
      voucherSigner: thief,
      payerAuthorizer: thief.address,
    });

    const deposit = await caller.pay(world, URL, CHAT);
    const byDeposit = await caller.send(world, URL, CHAT, deposit, mark);
    const voucher = { ...deposit, payload: { ...deposit.payload, type: 'voucher', deposit: undefined } };
    const byVoucher = await caller.send(world, URL, CHAT, voucher, mark);

    expect(deposit.payload).toMatchObject({ type: 'deposit' });
    expect([byDeposit.status, byVoucher.status]).toEqual([402, 402]);
    expect((await channel(victim)).charged).toBe('2000');
  });

  it('runs one call at a time: of two with the same total one pays, in one process and in two', async () => {
    await caller.buy(world, URL, CHAT);
    const second = await World.start({
      ...stage.settings,
      DATABASE_URL: world.settings.databaseUrl!,
    });
    try {
      const [one, two] = [
        await caller.pay(world, URL, saying('a')),
        await caller.pay(world, URL, saying('b')),
      ];
      expect(one.payload.voucher.maxClaimableAmount).toBe(two.payload.voucher.maxClaimableAmount);

      const answers = await Promise.all([
        caller.send(world, URL, saying('a'), one),
        caller.send(second, URL, saying('b'), two),
      ]);

      expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 402]);
      expect((await channel()).charged).toBe('4000');
    } finally {
      await second.stop();
    }
  });

  it('leaves the old total when the process dies before the charge, and the new one when it dies after', async () => {
    await caller.buy(world, URL, CHAT);
    const rail = world.app.get(ChannelRail, { strict: false });
    const charges = world.app.get(ChargeRepository, { strict: false });
    const repository = world.app.get(ChannelRepository, { strict: false });
    const { id } = await channel();
    const held = async (name: string, work: 'done' | 'not-done') => {
      const { payload } = await caller.pay(world, URL, CHAT);
      const { voucher, channelConfig } = payload;
      const draft = {
        id: name,
        rail: 'channel',
        operation: 'chat',
        payer: caller.wallet.toLowerCase(),
        price: 2_000n,
        list: 2_000n,
        discountPercent: 0,
        fingerprint: Buffer.alloc(32, name),
      };
      const payment = {
        kind: 'voucher',
        network: 'eip155:8453',
        channelId: id,
        config: channelConfig,
        signed: BigInt(voucher.maxClaimableAmount),
        signature: voucher.signature,
        accepted: { amount: '2000', asset: '', payTo: '' },
      };
      expect(await repository.hold(draft as never, payment as never, micro(0n))).toBe('held');
      expect((await channel()).open).toBe(name);
      await world.expectBooksToBalance();
      await rail.recover((await charges.find(name))!, work);
      // A process that was suspended meanwhile comes too late, whatever outcome it reports.
      await rail.recover((await charges.find(name))!, work === 'done' ? 'not-done' : 'done');
    };

    await held('ch_dies_before', 'not-done');
    expect(await channel()).toEqual({ id, charged: '2000', open: null });
    await held('ch_dies_after', 'done');
    expect(await channel()).toEqual({ id, charged: '4000', open: null });
  });

  it('loses no deposit whose answer was lost: the same call again finds it', async () => {
    const facilitator = world.app.get(ChannelFacilitator, { strict: false });
    const payment = await caller.pay(world, URL, CHAT);
    const lost = jest.spyOn(facilitator, 'deposit').mockImplementationOnce(async (...args) => {
      await facilitator.deposit(...args);
      throw new PaymentUnavailable();
    });

    const first = await caller.send(world, URL, CHAT, payment);
    const again = await caller.send(world, URL, CHAT, payment);
    lost.mockRestore();

    expect([first.status, again.status]).toEqual([503, 200]);
    expect(await stage.chain.channels.state((await channel()).id)).toMatchObject({ balance: 20_000n });
    expect((await channel()).charged).toBe('2000');
  });

  it('loses no deposit of a process that died before it stored the channel', async () => {
    const payment = await caller.pay(world, URL, CHAT);
    const terms = world.app.get(ChannelTerms, { strict: false });
    const requirements = await terms.requirements(payment.accepted.amount, 'eip155:8453');
    const { access } = (await terms.current('eip155:8453'))!;
    const settled = await access.client.settle(payment as never, requirements!);
    expect([settled.success, await channel()]).toEqual([true, undefined]);

    const answer = await caller.send(world, URL, CHAT, payment);

    expect(answer.status).toBe(200);
    expect((await channel()).charged).toBe('2000');
    expect(await stage.chain.usdc.balanceOf(caller.account.address)).toBe(20_000_000n - 20_000n);
  });

  it('believes the chain and not an answer about a claim', async () => {
    await caller.buy(world, URL, CHAT);
    const { id } = await channel();
    const terms = await world.app.get(ChannelTerms, { strict: false }).current('eip155:8453');
    const access = terms!.access as Required<ChannelAccess>;
    const mover = jest.spyOn(access, 'mover').mockReturnValue({
      ...access.client,
      settle: () =>
        Promise.resolve({ success: true, transaction: `0x${'9'.repeat(64)}`, network: 'eip155:8453' }),
    });

    await world.app.get(ChannelClaims, { strict: false }).claimOwed();
    mover.mockRestore();

    const [row] = await world.db.rows('select claimed_micro::text as claimed from channel where id = $1', [
      id,
    ]);
    expect(row).toEqual({ claimed: '0' });
    const reported = `select from channel_transaction where kind = 'claim' and hash like '0x999%'`;
    expect(await world.db.rows(reported)).toEqual([]);
    await world.db.rows('update channel set claim_until = null');
    await world.app.get(ChannelClaims, { strict: false }).claimOwed();
    expect((await stage.chain.channels.state(id)).claimed).toBe(2_000n);
  });

  it('buys nothing for a deposit of dust', async () => {
    const payment = await caller.pay(world, URL, CHAT);
    const dust = { ...payment.payload, deposit: { ...payment.payload.deposit!, amount: '1' } };

    const answer = await caller.send(world, URL, CHAT, { ...payment, payload: dust });

    expect([answer.status, reasonOf(answer)]).toEqual([
      402,
      'invalid_batch_settlement_evm_deposit_below_min_deposit',
    ]);
    expect(
      await world.db.rows('select from channel where payer = $1', [caller.wallet.toLowerCase()]),
    ).toEqual([]);
  });

  it('earns the tier of what its channels were charged', async () => {
    await caller.buy(world, URL, CHAT);
    const { id } = await channel();
    await world.db.rows(
      `update channel set charged_micro = charged_micro + 100000000, signed_micro = signed_micro + 100000000 where id = $1`,
      [id],
    );
    const priceFor = async (body: object): Promise<number> => {
      const unpaid = await world.post(URL, { ...CHAT, max_tokens: 8_000, model: 'lumen-ultra', ...body });
      const { accepts } = decodeHeader(unpaid.headers['payment-required']) as never as {
        accepts: { amount: string }[];
      };
      return Number(accepts[0]!.amount);
    };
    const [list, own] = [await priceFor({}), await priceFor({ payer: caller.wallet })];
    await world.db.rows(
      `update channel set charged_micro = charged_micro - 100000000, signed_micro = signed_micro - 100000000 where id = $1`,
      [id],
    );

    expect(own).toBe(Math.ceil(list * 0.95));
  });
});
