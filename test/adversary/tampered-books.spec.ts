import { ReconciliationRepository } from '#money/billing/sweeps/reconciliation.repository';
import { X402DriftRepository } from '#money/billing/rails/x402/settlement/x402-drift.repository';
import { AccountFunds } from '#money/billing/ledger/account-funds';
import { walletAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
import { CHAT_URL, signedPayment } from '../contract/rail-callers';
import { KeyCaller, WalletCaller } from '../support/caller';
import { captureLog } from '../support/log-lines';
import { type Answer, World } from '../support/world';

/** An attacker who can write to the database is found. Each test has a database of its own, which it spoils. */
describe('books that somebody has tampered with', () => {
  let world: World;

  const drift = async (): Promise<Readonly<Record<string, number>>> => {
    const { body } = await world.get('/v1/admin/drift', {
      authorization: `Bearer ${world.settings.admins[0]!.token}`,
    });
    return body.now.driftMicro;
  };

  const pay = async (words: string): Promise<Answer> => {
    const body = { messages: [{ role: 'user', content: words }], max_tokens: 16 };
    const payment = await signedPayment(world, new WalletCaller(), body);
    return world.post(CHAT_URL, body, { 'payment-signature': payment });
  };

  beforeEach(async () => {
    world = await World.start();
  });

  afterEach(() => world.stop());

  it('show a charge that has no transfer of its own', async () => {
    const [first, second] = [await pay('one'), await pay('two')];
    const before = await drift();

    await world.db.rows('drop index x402_payment_transfer');
    await world.db.rows(
      `update x402_payment p set tx_hash = f.tx_hash, log_index = f.log_index
       from x402_payment f where f.charge_id = $1 and p.charge_id = $2`,
      [first.headers['x-charge-id'], second.headers['x-charge-id']],
    );

    expect([before['transfers'], (await drift())['transfers']]).toEqual([
      0,
      Number(second.headers['x-charge-micro']),
    ]);
  });

  it('show a charge whose transfer was taken away', async () => {
    const { headers } = await pay('one');

    await world.db.rows('update x402_payment set tx_hash = null, log_index = null where charge_id = $1', [
      headers['x-charge-id'],
    ]);

    expect((await drift())['transfers']).toBe(Number(headers['x-charge-micro']));
  });

  it('show it when it is long ago, too, within twice as many minutes as there are hours since', async () => {
    const { headers } = await pay('one');
    await world.db.rows('update x402_payment set tx_hash = null, log_index = null where charge_id = $1', [
      headers['x-charge-id'],
    ]);
    const book = world.app.get(X402DriftRepository, { strict: false });
    const later = Date.now() + 5.5 * 3_600_000;

    const seen = await Promise.all(
      Array.from({ length: 8 }, (_, minute) => book.transfers(minute, later).then(Number)),
    );

    expect(seen.toSorted((a, b) => b - a).slice(0, 2)).toEqual([Number(headers['x-charge-micro']), 0]);
  });

  it('show a deposit that was credited without its transfer', async () => {
    const funds = world.app.get(AccountFunds, { strict: false });
    const wallet = new WalletCaller().wallet.toLowerCase() as WalletAddress;

    await funds.topUp(walletAccount(wallet), micro(7_000_000n), 'x402:ch_nobody');

    expect((await drift())['transfers']).toBe(7_000_000);
  });

  it('show a picture that is given out although nobody was charged', async () => {
    const { key } = await KeyCaller.register(world, 1_000_000n);
    const { headers } = await world.post(
      '/v1/agent/generate',
      { modelId: 'ember-image', prompt: 'a fox' },
      { 'x-api-key': key },
    );
    const before = await drift();

    await world.db.rows('alter table charge disable trigger charge_forward');
    await world.db.rows(`update charge set state = 'released', settled_at = null where id = $1`, [
      headers['x-charge-id'],
    ]);

    expect([before['results'], (await drift())['results']]).toEqual([0, Number(headers['x-charge-micro'])]);
  });

  it('show charges that contradict their rows in the ledger, in parts of any size', async () => {
    const { key } = await KeyCaller.register(world, 1_000_000n);
    const chat = (content: string): Promise<Answer> =>
      world.post(CHAT_URL, { messages: [{ role: 'user', content }], max_tokens: 16 }, { 'x-api-key': key });
    const [first, second, third] = [await chat('one'), await chat('two'), await chat('three')];
    const before = await drift();

    await world.db.rows('alter table charge disable trigger charge_forward');
    await world.db.rows(`update charge set state = 'released', settled_at = null where id = any($1)`, [
      [first.headers['x-charge-id'], third.headers['x-charge-id']],
    ]);

    const spoilt = Number(first.headers['x-charge-micro']) + Number(third.headers['x-charge-micro']);
    const books = world.app.get(ReconciliationRepository, { strict: false });
    const found = [1, 2, 3, 4].map((part) => books.chargesAgainstEntries({ part }).then(Number));
    expect(second.status).toBe(200);
    expect([before['charges'], (await drift())['charges']]).toEqual([0, spoilt]);
    expect(await Promise.all(found)).toEqual([spoilt, spoilt, spoilt, spoilt]);
  });

  it('show a debit below what the provider has counted', async () => {
    const { key } = await KeyCaller.register(world, 1_000_000n);
    const body = { model: 'lumen-flash', messages: [{ role: 'user', content: 'hello' }], max_tokens: 64 };
    await world.post('/v1/chat/completions', body, { 'x-api-key': key });
    const before = await drift();
    const [charge] = await world.db.rows<{ billed: string; price: string }>(
      `select billed_micro as billed, price_micro as price from charge where operation = 'studio'`,
    );

    const log = captureLog(world);
    await world.db.rows(`update charge set billed_micro = price_micro + 500 where operation = 'studio'`);

    expect(charge?.billed).toBe(charge?.price);
    expect([before['bills'], (await drift())['bills']]).toEqual([0, 500]);
    // Nobody lost money but the operator, so the log does not say that the books are wrong.
    expect(log.lines.join('')).toContain('Vendors billed more than the charges of a day.');
    expect(log.lines.join('')).not.toContain('The books do not balance.');
  });
});
