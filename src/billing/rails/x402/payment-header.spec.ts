import type { WalletAddress } from '../../../kernel/wallet-address';
import { paymentHeaderOf, readPayment } from './payment-header';

const ASSET = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' as WalletAddress;
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

const read = (value: unknown, encoding: BufferEncoding = 'base64') =>
  readPayment(Buffer.from(JSON.stringify(value)).toString(encoding), 'eip155:8453', ASSET);

describe('a payment header', () => {
  it('is read into one spelling, whatever it was written in', () => {
    expect(read({ x402Version: 2, accepted, payload })).toEqual({
      ok: true,
      offer: {
        payment: {
          network: 'eip155:8453',
          asset: ASSET,
          payer: PAYER.toLowerCase(),
          payTo: PAY_TO.toLowerCase(),
          amount: 4_555n,
          validAfter: 0n,
          validBefore: 1_795_257_670n,
          nonce: `0x${'ab'.repeat(32)}`,
          signature: `0x${'cd'.repeat(64)}1b`,
        },
        accepted,
        quote: 'sealed',
      },
    });
  });

  it('may be base64 for addresses', () => {
    expect(read({ x402Version: 2, accepted, payload }, 'base64url').ok).toBe(true);
  });

  it('of the first version names the network as that version does', () => {
    const first = { x402Version: 1, scheme: 'exact', network: 'base', payload };

    expect(read(first).ok).toBe(true);
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
    ['a value beyond 256 bits', { value: '1'.repeat(79) }],
    ['a value in words', { value: 'one' }],
    ['a value that is a number', { value: 4555 }],
    ['a short payer', { from: '0x12' }],
    ['no nonce', { nonce: undefined }],
  ])('with %s is malformed', (_, change) => {
    const changed = { ...payload, authorization: { ...authorization, ...change } };

    expect(read({ x402Version: 2, accepted, payload: changed })).toEqual({ ok: false, fault: 'malformed' });
  });

  it('with a signature of half a byte or too many is malformed', () => {
    const signed = (signature: string) =>
      read({ x402Version: 2, accepted, payload: { ...payload, signature } });

    for (const signature of ['0x123', '0x', `0x${'ab'.repeat(10_000)}`]) {
      expect(signed(signature)).toEqual({ ok: false, fault: 'malformed' });
    }
  });

  it('goes by three names, of which the newest counts first', () => {
    expect(paymentHeaderOf({ 'x-payment': 'b', 'payment-signature': 'a' })).toBe('a');
    expect(paymentHeaderOf({ 'x-402-payment': 'c' })).toBe('c');
    expect(paymentHeaderOf({ authorization: 'd' })).toBeUndefined();
  });
});
