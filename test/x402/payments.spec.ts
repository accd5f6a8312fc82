import { x402Client } from '@x402/core/client';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { privateKeyToAccount } from 'viem/accounts';

import { signAuthorization } from '../../tools/chain/test-usdc';
import { cloneDatabase } from '../support/postgres';
import {
  type CallOptions,
  type PayOptions,
  type Payload,
  type Wallet,
  X402World,
  callOf,
  encodeHeader,
  newWallet,
  refusalOf,
  requiredOf,
} from './x402-world';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const withSignature = (change: (signature: string) => string): PayOptions => ({
  tamper: (payload) => {
    payload.payload.signature = change(payload.payload.signature);
    return payload;
  },
});

const withField = (name: string, change: (value: string) => string): PayOptions => ({
  tamper: (payload) => {
    const { authorization } = payload.payload;
    authorization[name] = change(authorization[name]!);
    return payload;
  },
});

const plus = (step: bigint) => (value: string) => (BigInt(value) + step).toString();
const nextHex = (value: string) =>
  `0x${((BigInt(value) + 1n) % (1n << BigInt((value.length - 2) * 4))).toString(16).padStart(value.length - 2, '0')}`;

/** The other signature of the same key over the same bytes. */
const highTwin = (signature: string): string => {
  const s = ORDER - BigInt(`0x${signature.slice(66, 130)}`);
  const v = signature.slice(130) === '1b' ? '1c' : '1b';
  return `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${v}`;
};

const lowV = (signature: string): string =>
  `${signature.slice(0, 130)}${signature.slice(130) === '1b' ? '00' : '01'}`;
const upper = (hex: string): string => `0x${hex.slice(2).toUpperCase()}`;

describe('what a payment must be', () => {
  let ours: X402World;
  let wallet: Wallet;

  const reasonFor = async (header: string, call: CallOptions = {}): Promise<string> => {
    const refusal = await refusalOf(ours.hold(header, call));
    expect(refusal.code).toBe('INVALID_PAYMENT');
    expect(refusal.kind).toBe('payment_required');
    expect(await ours.db.rows('select from x402_payment where payer = $1', [wallet.address])).toEqual([]);
    return requiredOf(refusal).error;
  };

  beforeAll(async () => {
    ours = await X402World.open(await cloneDatabase());
  });

  beforeEach(() => {
    wallet = newWallet();
  });

  afterEach(async () => {
    ours.clock.putForward(0);
    await ours.sweep('not-done');
    await ours.expectBooks();
  });

  afterAll(() => ours.stop());

  it('is granted once, in whichever spelling its twins come', async () => {
    const { authorization, signature } = await signAuthorization(wallet.key, {
      to: ours.settings.x402.payTo,
      value: 10_000n,
    });
    const [accepted] = requiredOf(await ours.ask()).accepts;
    const spelt = (spell: (text: string) => string, sign: (signature: string) => string): string =>
      encodeHeader({
        x402Version: 2,
        accepted,
        payload: {
          signature: sign(signature),
          authorization: {
            from: spell(authorization.from),
            to: spell(authorization.to),
            value: '10000',
            validAfter: '0',
            validBefore: authorization.validBefore.toString(),
            nonce: spell(authorization.nonce),
          },
        },
      });
    const same = (text: string) => text;
    const headers = [spelt(same, same), spelt(same, lowV), spelt(upper, same), spelt(upper, upper)];

    const holds = await Promise.all(headers.map((header) => ours.hold(header)));
    const twin = await refusalOf(ours.hold(spelt(same, highTwin)));

    expect(holds.filter(({ held }) => held.ok)).toHaveLength(1);
    expect(holds.filter(({ held }) => !held.ok && held.reason === 'duplicate')).toHaveLength(3);
    expect(requiredOf(twin).error).toBe('invalid_signature');
  });

  it.each<[string, PayOptions]>([
    ['a signature of the upper half', withSignature(highTwin)],
    ['a signature of 64 bytes', withSignature((signature) => signature.slice(0, 130))],
    ['a signature of 66 bytes', withSignature((signature) => `${signature}1b`)],
    ['a v that is no v', withSignature((signature) => `${signature.slice(0, 130)}1d`)],
    ['another r', withSignature((signature) => nextHex(signature))],
    ['another nonce', withField('nonce', nextHex)],
    ['a later end', withField('validBefore', plus(1n))],
    ['an earlier end', withField('validBefore', plus(-1n))],
    ['a later beginning', withField('validAfter', plus(1n))],
    ['another payer', withField('from', nextHex)],
  ])('refuses %s', async (_, options) => {
    expect(['invalid_signature', 'contract_wallet']).toContain(
      await reasonFor(await ours.pay(wallet, {}, options)),
    );
  });

  it.each<[string, string, PayOptions]>([
    ['one micro more', 'wrong_amount', { value: 10_001n }],
    ['one micro less', 'wrong_amount', { value: 9_999n }],
    ['another recipient', 'wrong_recipient', { to: '0x00000000000000000000000000000000000000aa' }],
    ['a nonce of 31 bytes', 'malformed', withField('nonce', (nonce) => nonce.slice(0, -2))],
    ['an amount in hex', 'malformed', withField('value', () => '0x2710')],
    ['an amount with a zero in front', 'malformed', withField('value', (value) => `0${value}`)],
    ['a negative amount', 'malformed', withField('value', (value) => `-${value}`)],
  ])('refuses %s', async (_, reason, options) => {
    expect(await reasonFor(await ours.pay(wallet, {}, options))).toBe(reason);
  });

  it.each<[string, string, (payload: Payload) => unknown]>([
    [
      'an accepted amount that is not the signed one',
      'wrong_amount',
      (payload) => accepting(payload, 'amount', '1'),
    ],
    ['another token', 'wrong_asset', (payload) => accepting(payload, 'asset', `0x${'1'.repeat(40)}`)],
    ['another payTo', 'wrong_recipient', (payload) => accepting(payload, 'payTo', `0x${'1'.repeat(40)}`)],
    ['another network', 'wrong_network', (payload) => accepting(payload, 'network', 'eip155:1')],
    ['another scheme', 'wrong_scheme', (payload) => accepting(payload, 'scheme', 'upto')],
    ['another version', 'unsupported_version', (payload) => ({ ...payload, x402Version: 3 })],
    ['no payload', 'malformed', (payload) => ({ ...payload, payload: null })],
    ['an empty payload', 'malformed', (payload) => ({ ...payload, payload: {} })],
    ['no accepted', 'malformed', (payload) => ({ ...payload, accepted: undefined })],
    [
      'a Permit2 payment',
      'wrong_scheme',
      (payload) => ({ ...payload, payload: { permit2Authorization: {} } }),
    ],
    ['a list', 'unsupported_version', () => []],
    ['a number', 'malformed', () => 5],
    [
      'a bad payment-identifier',
      'bad_payment_id',
      (payload) => ({ ...payload, extensions: { 'payment-identifier': { info: { id: 'short' } } } }),
    ],
    [
      'a quote of another call',
      'bad_quote',
      (payload) =>
        accepting(payload, 'extra', {
          ...payload.accepted.extra,
          quote: 'zzzzzzz.10000.AAAAAAAAAAAAAAAAAAAAAA',
        }),
    ],
  ])('refuses %s', async (_, reason, tamper) => {
    expect(await reasonFor(await ours.pay(wallet, {}, { tamper }))).toBe(reason);
  });

  it.each(['%%%', '', 'e30=', 'bm90IGpzb24=', 'A'.repeat(50_000)])('refuses the junk %#', async (junk) => {
    expect(['malformed', 'unsupported_version']).toContain(await reasonFor(junk));
  });

  it.each<[string, string, number]>([
    ['that has ended', 'expires_too_soon', -1],
    ['that ends before the run and its settlement can', 'expires_too_soon', 85],
    ['that is valid for over a day', 'expires_too_late', 86_500],
  ])('refuses one %s', async (_, reason, seconds) => {
    const validBefore = BigInt(Math.floor(Date.now() / 1_000) + seconds);

    expect(await reasonFor(await ours.pay(wallet, {}, { validBefore }))).toBe(reason);
  });

  it('refuses one that is not valid yet', async () => {
    const validAfter = BigInt(Math.floor(Date.now() / 1_000) + 60);

    expect(await reasonFor(await ours.pay(wallet, {}, { validAfter }))).toBe('not_yet_valid');
  });

  it('takes one that outlives the run by just enough', async () => {
    const validBefore = BigInt(Math.floor(Date.now() / 1_000) + 95);

    const { held } = await ours.hold(await ours.pay(wallet, {}, { validBefore }));

    expect(held.ok).toBe(true);
  });

  it('honours its own quote after the price has moved, and only for the very same call', async () => {
    const header = await ours.pay(wallet);

    const { call, held } = await ours.hold(header, { price: 12_345n });

    expect(held.ok).toBe(true);
    expect(call.price).toBe(10_000n);
  });

  it('asks for the new price when there is no quote, or an old one', async () => {
    const plain = await ours.pay(wallet, {}, { plain: true });
    const late = await ours.pay(wallet, {}, { validBefore: BigInt(Math.floor(Date.now() / 1_000) + 3_000) });

    expect(await reasonFor(plain, { price: 12_345n })).toBe('wrong_amount');
    ours.clock.putForward(901);
    expect(await reasonFor(late, { price: 12_345n })).toBe('wrong_amount');
    expect((await ours.hold(late)).held.ok).toBe(true);
  });

  it('refuses a payment whose quote was made for another body or route', async () => {
    const header = await ours.pay(wallet);

    expect(await reasonFor(header, { body: { prompt: 'a blue whale' } })).toBe('bad_quote');
    expect(await reasonFor(header, { url: '/v1/agent/generate' })).toBe('bad_quote');
  });

  it('gives the discount of the wallet that pays, and to no other', async () => {
    const payer = newWallet();
    await ours.db.rows('insert into x402_payer (payer, paid_in_micro) values ($1, 2000000000)', [
      payer.address,
    ]);
    const call = { body: { prompt: 'a red fox', payer: payer.address.toUpperCase().replace('0X', '0x') } };

    const header = await ours.pay(payer, call);
    const { call: paid } = await ours.hold(header, call);
    const stranger = await reasonFor(await ours.pay(wallet, call), call);
    await ours.sweep('not-done');
    await ours.db.rows('update x402_payer set paid_in_micro = 0 where payer = $1', [payer.address]);

    expect(paid.price).toBe(8_500n);
    expect(paid.payer?.discountPercent).toBe(15);
    expect(stranger).toBe('payer_mismatch');
  });

  it('takes a payment of the first version, under either of its names', async () => {
    const names = ['x-payment', 'x-402-payment', 'payment-signature'];

    const holds = await Promise.all(
      names.map(async (name) => {
        const { authorization, signature } = await signAuthorization(wallet.key, {
          to: ours.settings.x402.payTo,
          value: 10_000n,
        });
        const { from, to, nonce, validBefore } = authorization;
        const header = encodeHeader({
          x402Version: 1,
          scheme: 'exact',
          network: 'base',
          payload: {
            signature,
            authorization: {
              from,
              to,
              value: '10000',
              validAfter: '0',
              validBefore: `${validBefore}`,
              nonce,
            },
          },
        });
        const call = callOf({ headers: { [name]: header } });
        expect(ours.rail.claims(call.request)).toBe(true);
        call.payer = await ours.rail.identify(call);
        return ours.rail.hold(call, ours.draftOf(call));
      }),
    );

    expect(holds.map(({ ok }) => ok)).toEqual([true, true, true]);
  });

  it('takes what a stock client makes of the challenge', async () => {
    const call = { body: { prompt: 'paid by a stock client' } };
    const client = new x402Client().register(
      'eip155:8453',
      new ExactEvmScheme(privateKeyToAccount(wallet.key)),
    );
    const required = decodePaymentRequiredHeader((await ours.ask(call)).extras.headers!['payment-required']!);

    const payload = await client.createPaymentPayload(required);
    const { settlement } = await ours.buy(encodePaymentSignatureHeader(payload), call);

    expect(settlement.outcome).toBe('charged');
  });

  it('claims no call without a payment', () => {
    expect(ours.rail.claims(callOf({ headers: { authorization: 'Bearer x' } }).request)).toBe(false);
  });

  describe('shown a second time', () => {
    it('pays for no other call', async () => {
      const header = await ours.pay(wallet, {}, { plain: true });
      await ours.buy(header);
      const other = await ours.identified(header, { body: { prompt: 'a blue whale' } });

      const refusal = await refusalOf(ours.rail.earlier(other, other.payer!));

      expect(refusal.code).toBe('INVALID_PAYMENT');
      expect(requiredOf(refusal).error).toBe('payment_already_used');
      expect(requiredOf(refusal).accepts[0]?.amount).toBe('10000');
    });

    it('with the same payment-identifier finds the first call and leaves the new payment unused', async () => {
      const paymentId = 'order-1234567890123';
      const { id } = await ours.buy(await ours.pay(wallet, {}, { paymentId }));

      const again = await ours.identified(await ours.pay(wallet, {}, { paymentId }));

      expect(await ours.rail.earlier(again, again.payer!)).toBe(id);
      expect((await ours.payerRow(wallet)).paidIn).toBe(10_000n);
    });

    it('with the same payment-identifier on another call is a conflict', async () => {
      const paymentId = 'order-1234567890123';
      await ours.buy(await ours.pay(wallet, {}, { paymentId }));
      const other = { body: { prompt: 'a blue whale' } };

      const call = await ours.identified(await ours.pay(wallet, other, { paymentId }), other);
      const refusal = await refusalOf(ours.rail.earlier(call, call.payer!));

      expect([refusal.kind, refusal.code]).toEqual(['conflict', 'IDEMPOTENCY_MISMATCH']);
    });

    it('shares its payment-identifier with nobody else', async () => {
      const paymentId = 'order-1234567890123';
      await ours.buy(await ours.pay(wallet, {}, { paymentId }));

      const { held } = await ours.hold(await ours.pay(newWallet(), {}, { paymentId }));

      expect(held.ok).toBe(true);
    });

    it('lets one of twenty payments with one identifier through', async () => {
      const paymentId = 'order-1234567890123';
      const headers = await Promise.all(
        Array.from({ length: 20 }, () => ours.pay(wallet, {}, { paymentId })),
      );

      const holds = await Promise.all(headers.map((header) => ours.hold(header)));

      expect(holds.filter(({ held }) => held.ok)).toHaveLength(1);
      expect(holds.filter(({ held }) => !held.ok && held.reason === 'duplicate')).toHaveLength(19);
    });
  });
});

const accepting = (payload: Payload, name: string, value: unknown): Payload => ({
  ...payload,
  accepted: { ...payload.accepted, [name]: value } as Payload['accepted'],
});
