import { AccountFunds } from '#money/billing/ledger/account-funds';
import { walletAccount } from '#money/billing/ledger/account-id';
import { ChannelClaims } from '#money/billing/rails/channel/channel-claims';
import { RefundSweepProcessor } from '#work/jobs/refund-sweep.processor';
import { parseWallet } from '#kernel/wallet-address';
import { ChannelCaller } from '../support/channel-caller';
import { expectEventually } from '../support/eventually';
import { hostileWallet, turnWallet } from '../support/hostile-wallet';
import type { World } from '../support/world';
import { type ChannelStage, channelStage } from './channel-world';

const VIDEOS = '/v1/agent/videos';
const FAILING = { prompt: 'a lamp [[fail]]' };

describe('work that fails after its charge by channel', () => {
  let stage: ChannelStage;
  let world: World;

  beforeAll(async () => {
    stage = await channelStage({ X402_CHANNEL_CLAIM_SECONDS: '3600' });
    ({ world } = stage);
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => stage.stop());

  const claims = () => world.app.get(ChannelClaims, { strict: false });
  const balanceOf = (caller: ChannelCaller) =>
    world.app.get(AccountFunds, { strict: false }).balance(walletAccount(parseWallet(caller.wallet)!));
  const jobOf = async (chargeId: string) =>
    (
      await world.db.rows<{ status: string; settled: boolean; state: string; price: string }>(
        `select j.status, j.settled_late as settled, c.state, c.price_micro::text as price
         from job j join charge c on c.id = j.charge_id where c.id = $1`,
        [chargeId],
      )
    )[0]!;
  const sweep = async () => {
    await world.db.rows(`update sweep_pause set retry_at = now()`);
    await world.app.get(RefundSweepProcessor, { strict: false }).run();
  };

  const failed = async (caller: ChannelCaller): Promise<string> => {
    const answer = await caller.buy(world, VIDEOS, FAILING);
    expect(answer.status).toBe(200);
    const chargeId = String(answer.headers['x-charge-id']);
    await expectEventually(async () => (await jobOf(chargeId)).status === 'failed');
    return chargeId;
  };

  it('is credited once, after the money of its charge was claimed', async () => {
    const caller = await new ChannelCaller(stage.chain).minted();
    const chargeId = await failed(caller);
    await sweep();

    expect(await jobOf(chargeId)).toMatchObject({ settled: false, state: 'charged' });
    expect(await balanceOf(caller)).toBe(0n);
    // It waits, and does not fail.
    expect(await world.db.rows('select failures from sweep_pause')).toEqual([{ failures: 0 }]);

    await claims().claimOwed();
    await Promise.all([sweep(), sweep()]);

    const { price, ...job } = await jobOf(chargeId);
    expect(job).toMatchObject({ settled: true, state: 'refunded' });
    expect(await balanceOf(caller)).toBe(BigInt(price));
  });

  it('gives a contract wallet that takes its signature back nothing', async () => {
    const wallet = await hostileWallet(stage.chain, 'Fickle');
    const caller = await new ChannelCaller(stage.chain, 0n, wallet).minted();
    const chargeId = await failed(caller);
    await turnWallet(stage.chain, wallet);

    await claims().claimOwed();
    await sweep();

    expect(await jobOf(chargeId)).toMatchObject({ settled: false, state: 'charged' });
    expect(await balanceOf(caller)).toBe(0n);
  });

  it('is not credited by a statement that ignores the claim', async () => {
    const caller = await new ChannelCaller(stage.chain).minted();
    const chargeId = await failed(caller);

    const forged = world.db.rows(
      `with moved as (update charge set state = 'refunded', refunded_at = now() where id = $1 returning *),
         credited as (insert into ledger_account (id, balance_micro, last_seq)
           select 'wallet:' || payer, price_micro, 1 from moved returning id, balance_micro)
       insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, charge_id, model_id)
       select c.id, 1, 'refund', c.balance_micro, c.balance_micro, m.id, m.model_id from moved m, credited c`,
      [chargeId],
    );

    await expect(forged).rejects.toThrow('a refund that is not the reversal of its debit');
  });
});
