import type { WalletAddress } from '#kernel/wallet-address';
import { paymentHeaderOf, readPayment } from './payment-header';

const ASSET = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' as WalletAddress;
const TAKEN = [{ network: 'eip155:8453', asset: ASSET }];
const PAYER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const PAY_TO = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

const authorization = {
  from: PAYER,
  to: PAY_TO,
  value: '4555',
  validAfter: '0',
  validBefore: '1795257670',
  nonce: `0x${'AB'.repeat(32)}`,
};
const payload = { authorization, signature: `0x${'CD'.repeat(64)}00` };
const accepted = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '4555',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: PAY_TO,
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2', quote: 'sealed' },
};

/** The signed content of either version. */
const PAYMENT = {
  network: 'eip155:8453',
  asset: ASSET,
  payer: PAYER.toLowerCase(),
  payTo: PAY_TO.toLowerCase(),
  amount: 4_555n,
  validAfter: 0n,
  validBefore: 1_795_257_670n,
  nonce: `0x${'ab'.repeat(32)}`,
  signature: `0x${'cd'.repeat(64)}1b`,
};

const idOf = (id: unknown): object => ({ 'payment-identifier': { info: { required: false, id } } });

const read = (value: unknown, encoding: BufferEncoding = 'base64') =>
  readPayment(Buffer.from(JSON.stringify(value)).toString(encoding), TAKEN);

describe('a payment header', () => {
  it('is read into one spelling, whatever it was written in', () => {
    expect(read({ x402Version: 2, accepted, payload })).toEqual({
      ok: true,
      offer: {
        payment: PAYMENT,
        accepted: { amount: '4555', asset: accepted.asset, payTo: PAY_TO },
        quote: 'sealed',
      },
    });
  });

  it('may be base64 for addresses', () => {
    expect(read({ x402Version: 2, accepted, payload }, 'base64url').ok).toBe(true);
  });

  it('of the first version names the network as that version does', () => {
    const first = { x402Version: 1, scheme: 'exact', network: 'base', payload };

    expect(read(first)).toEqual({ ok: true, offer: { payment: PAYMENT } });
    expect(read({ ...first, network: 'eip155:8453' })).toEqual({ ok: false, fault: 'wrong_network' });
    expect(read({ ...first, network: 'base-sepolia' })).toEqual({ ok: false, fault: 'wrong_network' });
  });

  it('carries the identifier that the client chose', () => {
    const extensions = { 'payment-identifier': { info: { required: false, id: 'order-1234567890' } } };

    expect(read({ x402Version: 2, accepted, payload, extensions })).toMatchObject({
      offer: { paymentId: 'order-1234567890' },
    });
  });

  it.each([
    ['a value of too many digits', { value: '1'.repeat(79) }],
    ['a value beyond 256 bits', { value: (2n ** 256n).toString() }],
    ['a value in words', { value: 'one' }],
    ['a value that is a number', { value: 4555 }],
    ['a short payer', { from: '0x12' }],
    ['no nonce', { nonce: undefined }],
    ['a nonce of 31 bytes', { nonce: `0x${'ab'.repeat(31)}` }],
    ['a nonce of 33 bytes', { nonce: `0x${'ab'.repeat(33)}` }],
    ['a nonce behind a word', { nonce: `x 0x${'ab'.repeat(32)}` }],
    ['a nonce that is no number', { nonce: `0x${'xy'.repeat(32)}` }],
    ['a short recipient', { to: '0x12' }],
    ['no recipient', { to: undefined }],
    ['a value with a leading zero', { value: '04555' }],
    ['a value with a sign', { value: '+4555' }],
    ['a value below nothing', { value: '-1' }],
    ['a value with a blank', { value: '4555 ' }],
    ['no value', { value: undefined }],
    ['a beginning in words', { validAfter: 'now' }],
    ['no beginning', { validAfter: undefined }],
    ['an end in words', { validBefore: 'never' }],
    ['no end', { validBefore: undefined }],
  ])('with %s is malformed', (_, change) => {
    const changed = { ...payload, authorization: { ...authorization, ...change } };

    expect(read({ x402Version: 2, accepted, payload: changed })).toEqual({ ok: false, fault: 'malformed' });
  });

  it.each([
    ['no text', 7],
    ['nothing', undefined],
    ['half a byte', '0x123'],
    ['no byte', '0x'],
    ['one letter too many', `0x${'ab'.repeat(8_191)}a`],
    ['one byte too many', `0x${'ab'.repeat(8_192)}`],
    ['no number', `0x${'xy'.repeat(65)}`],
    ['a word before it', `x0x${'ab'.repeat(65)}`],
    ['a word behind it', `0x${'ab'.repeat(65)} x`],
  ])('with a signature of %s is malformed', (_, signature) => {
    expect(read({ x402Version: 2, accepted, payload: { authorization, signature } })).toEqual({
      ok: false,
      fault: 'malformed',
    });
  });

  it.each([
    ['00', `${'cd'.repeat(64)}00`, `${'cd'.repeat(64)}1b`],
    ['01', `${'cd'.repeat(64)}01`, `${'cd'.repeat(64)}1c`],
    ['1b', `${'cd'.repeat(64)}1b`, `${'cd'.repeat(64)}1b`],
    ['1c', `${'cd'.repeat(64)}1C`, `${'cd'.repeat(64)}1c`],
    ['00 behind a byte more', `${'cd'.repeat(65)}00`, `${'cd'.repeat(65)}00`],
    ['01 behind a byte less', `${'cd'.repeat(63)}01`, `${'cd'.repeat(63)}01`],
    ['as much as there may be', 'cd'.repeat(8_191), 'cd'.repeat(8_191)],
  ])('with a signature that ends on %s is read as the chain wants it', (_, given, taken) => {
    expect(
      read({ x402Version: 2, accepted, payload: { authorization, signature: `0x${given}` } }),
    ).toMatchObject({ offer: { payment: { signature: `0x${taken}` } } });
  });

  it('may name amounts from nothing to 256 bits', () => {
    for (const value of ['0', (2n ** 256n - 1n).toString()]) {
      const changed = { ...payload, authorization: { ...authorization, value } };
      expect(read({ x402Version: 2, accepted, payload: changed })).toMatchObject({
        offer: { payment: { amount: BigInt(value) } },
      });
    }
  });

  it.each<[string, unknown, string]>([
    ['a text', 'payment', 'malformed'],
    ['null', null, 'malformed'],
    ['no version', { accepted, payload }, 'unsupported_version'],
    ['version 3', { x402Version: 3, accepted, payload }, 'unsupported_version'],
    ['version 2 without what it accepts', { x402Version: 2, payload }, 'malformed'],
    ...['scheme', 'network', 'amount', 'asset', 'payTo'].map((key): [string, unknown, string] => [
      `version 2 whose ${key} is no text`,
      { x402Version: 2, accepted: { ...accepted, [key]: 5 }, payload },
      'malformed',
    ]),
    ['a list of what it accepts', { x402Version: 2, accepted: [accepted], payload }, 'malformed'],
    ['a list of payloads', { x402Version: 2, accepted, payload: [payload] }, 'malformed'],
    ['version 1 without a network', { x402Version: 1, scheme: 'exact', payload }, 'malformed'],
    ['version 1 without a payload', { x402Version: 1, scheme: 'exact', network: 'base' }, 'malformed'],
    [
      'another scheme',
      { x402Version: 2, accepted: { ...accepted, scheme: 'upto' }, payload },
      'wrong_scheme',
    ],
    [
      'another network',
      { x402Version: 2, accepted: { ...accepted, network: 'eip155:1' }, payload },
      'wrong_network',
    ],
    [
      'the name of the first version',
      { x402Version: 2, accepted: { ...accepted, network: 'eip155:0' }, payload },
      'wrong_network',
    ],
    [
      'a permit in place of an authorization',
      { x402Version: 2, accepted, payload: { permit2Authorization: {}, signature: '0x12' } },
      'wrong_scheme',
    ],
    ['neither', { x402Version: 2, accepted, payload: { signature: '0x12' } }, 'malformed'],
  ])('of %s says what is wrong', (_, value, fault) => {
    expect(read(value)).toEqual({ ok: false, fault });
  });

  it.each([
    ['no base64', '{"x402Version":2}'],
    ['base64 with a blank before it', ` ${Buffer.from('{}').toString('base64')}`],
    ['base64 with a blank behind it', `${Buffer.from('{}').toString('base64')} `],
    ['nothing', ''],
    ['base64 of no JSON', Buffer.from('{"x402').toString('base64')],
  ])('that is %s is malformed', (_, header) => {
    expect(readPayment(header, TAKEN)).toEqual({ ok: false, fault: 'malformed' });
  });

  it('may have 40000 characters, and not one more', () => {
    const body = { x402Version: 2, accepted, payload };
    const blanks = 30_000 - JSON.stringify(body).length;
    const header = Buffer.from(JSON.stringify(body) + ' '.repeat(blanks)).toString('base64');

    expect(header).toHaveLength(40_000);
    expect(readPayment(header, TAKEN).ok).toBe(true);
    expect(readPayment(`${header}=`, TAKEN)).toEqual({ ok: false, fault: 'malformed' });
  });

  it('has no quote and no identifier where the client sent none', () => {
    const plain = { x402Version: 2, accepted: { ...accepted, extra: {} }, payload };

    for (const extensions of [undefined, {}, { 'payment-identifier': {} }, idOf(null), idOf(undefined)]) {
      const answer = read({ ...plain, extensions });
      expect(answer).toMatchObject({ ok: true, offer: { quote: undefined, paymentId: undefined } });
    }
  });

  it.each([
    ['15 letters', 'a'.repeat(15), false],
    ['16 letters', 'a'.repeat(16), true],
    ['128 letters', 'a'.repeat(128), true],
    ['129 letters', 'a'.repeat(129), false],
    ['a number', 1_234_567_890_123_456, false],
    ['a sign in its middle', `${'a'.repeat(16)}!${'a'.repeat(16)}`, false],
    ['a blank before it', ` ${'a'.repeat(16)}`, false],
    ['a blank behind it', `${'a'.repeat(16)} `, false],
  ])('with an identifier of %s is taken or refused with a reason', (_, id, taken) => {
    const answer = read({ x402Version: 2, accepted, payload, extensions: idOf(id) });

    expect(answer).toMatchObject(
      taken ? { ok: true, offer: { paymentId: id } } : { ok: false, fault: 'bad_payment_id' },
    );
  });

  it('goes by three names, of which the newest counts first', () => {
    expect(paymentHeaderOf({ 'x-payment': 'b', 'payment-signature': 'a' })).toBe('a');
    expect(paymentHeaderOf({ 'x-402-payment': 'c' })).toBe('c');
    expect(paymentHeaderOf({ authorization: 'd' })).toBeUndefined();
  });
});
