import { newId } from '#kernel/ids';
import { cloneDatabase } from '../support/postgres';
import { X402World, answerFor, newWallet } from './x402-world';

const NONCE = `decode(repeat('ab', 32), 'hex')`;

/** Each is one illegal write, and the database rule that must refuse it. */
const ILLEGAL: readonly (readonly [string, string, string])[] = [
  [
    'a charge on this rail without a payment',
    'LP006',
    `insert into charge (id, rail, operation, payer, state, price_micro, list_micro, fingerprint, lease_until)
     values ('ch_x', 'x402', 'chat', $1, 'held', 1, 1, ${NONCE}, now())`,
  ],
  [
    'a charge that is charged without a transaction',
    'LP006',
    `update charge set state = 'charged', settled_at = now(), lease_until = null where payer = $1`,
  ],
  ['a nonce of 31 bytes', 'x402_payment_nonce', `update x402_payment set nonce = '\\x00' where payer = $1`],
  [
    'an address in capitals',
    'x402_payment_addresses',
    `update x402_payment set pay_to = upper(pay_to) where payer = $1`,
  ],
  [
    'a payment of nothing',
    'x402_payment_amount',
    'update x402_payment set amount_micro = 0 where payer = $1',
  ],
  [
    'words of somebody else as an error',
    'x402_payment_error',
    `update x402_payment set last_error = 'at https://node.example/key' where payer = $1`,
  ],
  [
    'a signature that is kept after its use',
    'x402_payment_signature_used',
    `update x402_payment set tx_hash = '0x' || repeat('ab', 32) where payer = $1`,
  ],
  [
    'a charge that is charged with a transaction of which nobody knows the transfer',
    'LP006',
    `update x402_payment set tx_hash = '0x' || repeat('ab', 32), signature = null where payer = $1; ` +
      `update charge set state = 'settling' where payer = $1; ` +
      `update charge set state = 'charged', settled_at = now(), lease_until = null where payer = $1`,
  ],
  [
    'a place of a transfer in no transaction',
    'x402_payment_log_index',
    'update x402_payment set log_index = 0 where payer = $1',
  ],
  [
    'the payment of one charge under another',
    'x402_payment_charge',
    `update x402_payment set charge_id = 'ch_nobody' where payer = $1`,
  ],
  [
    'more open than the wallet holds',
    'x402_payer_exposure',
    'update x402_payer set balance_seen_micro = 9999 where payer = $1',
  ],
  [
    'the same money seen twice',
    'x402_payer_exposure',
    'update x402_payer set balance_seen_micro = 10000, paid_in_micro = 1 where payer = $1',
  ],
  ['an open sum without a call', 'x402_payer_open', 'update x402_payer set open_count = 0 where payer = $1'],
  [
    'a second open call after a strike',
    'LP005',
    'update x402_payer set strikes = 1 where payer = $1; update x402_payer set open_count = 2 where payer = $1',
  ],
];

describe('the rules that the database enforces', () => {
  let ours: X402World;

  beforeAll(async () => {
    ours = await X402World.open(await cloneDatabase());
  });

  afterEach(async () => {
    await ours.sweep('not-done');
    await ours.expectBooks();
  });

  afterAll(() => ours.stop());

  it.each(ILLEGAL)('refuse %s', async (_, rule, statements) => {
    const wallet = newWallet();
    await ours.hold(await ours.pay(wallet));

    const error: unknown = await ours.db
      .transaction(async (queries) => {
        for (const statement of statements.split('; ')) await queries.rows(statement, [wallet.address]);
      })
      .catch((thrown: unknown) => thrown);

    const { code, constraint } = error as { code?: string; constraint?: string };
    expect([code, constraint]).toContain(rule);
  });

  it('refuse a second charge for one transfer', async () => {
    const wallet = newWallet();
    const { id } = await ours.buy(await ours.pay(wallet));
    const { call, draft } = await ours.hold(await ours.pay(wallet));
    await ours.payments.beginSettling(answerFor(draft), 'held');
    const { transaction = '', logIndex = -1 } = (await ours.payments.find(id))!;

    const again = await ours.payments.charged(draft.id, { transaction, logIndex }, false);
    const there = await ours.stateOf(draft.id);
    await ours.settle(call, draft);
    await ours.sweep();

    expect([again, there, await ours.stateOf(draft.id)]).toEqual(['spent', 'settling', 'charged']);
  });

  it('refuse a second claim of a nonce by hand', async () => {
    const wallet = newWallet();
    const { draft } = await ours.hold(await ours.pay(wallet));

    const copy = ours.db.rows(
      `insert into x402_payment (network, asset, payer, nonce, charge_id, pay_to, amount_micro, valid_after, valid_before)
       select network, asset, payer, nonce, $2, pay_to, amount_micro, valid_after, valid_before
       from x402_payment where charge_id = $1`,
      [draft.id, newId('ch')],
    );

    await expect(copy).rejects.toMatchObject({ constraint: 'PK_x402_payment' });
  });
});
