import { createHash } from 'node:crypto';

import { Clock } from '#kernel/clock';
import { micro } from '#kernel/money';
import { parseWallet } from '#kernel/wallet-address';
import { readSettings } from '../../../../../settings';
import { SigningKeys } from '#platform/config/signing-keys';
import type { PayableCall } from '../../payable-call';
import { PaymentQuote } from './payment-quote';

class StoppedClock extends Clock {
  constructor(public seconds: number) {
    super();
  }

  now(): Date {
    return new Date(this.seconds * 1_000);
  }
}

const callWith = (text: string, payer?: string, listed?: string): PayableCall =>
  ({
    body: { payer },
    fingerprint: createHash('sha256').update(text).digest(),
    priced: { modelId: listed ?? 'lumen-flash', isListed: listed !== undefined || undefined },
  }) as unknown as PayableCall;

const quoteWith = (clock: Clock, variables: Readonly<Record<string, string>> = {}): PaymentQuote => {
  const settings = readSettings({ SIGNING_SECRET: 'x'.repeat(32), ...variables });
  return new PaymentQuote(new SigningKeys(settings), clock, settings);
};

const ALICE = parseWallet(`0x${'a'.repeat(40)}`)!;
const BOB = parseWallet(`0x${'b'.repeat(40)}`)!;

describe('a sealed price', () => {
  const clock = new StoppedClock(1_800_000_000);
  const quotes = quoteWith(clock);
  const call = callWith('POST /v1/agent/chat {}');
  const sealed = quotes.seal(call, micro(10_000n));

  afterEach(() => {
    clock.seconds = 1_800_000_000;
  });

  it('is short, and opens for its own call', () => {
    expect(sealed.length).toBeLessThanOrEqual(120);
    expect(quotes.open(call, sealed)).toEqual({ outcome: 'holds', price: 10_000n });
  });

  it('holds for a quarter of an hour', () => {
    clock.seconds += 899;
    expect(quotes.open(call, sealed).outcome).toBe('holds');
    clock.seconds += 1;
    expect(quotes.open(call, sealed).outcome).toBe('expired');
  });

  it.each([
    ['another call', quotes, callWith('POST /v1/agent/chat {"a":1}'), sealed],
    ['another payer', quotes, callWith('POST /v1/agent/chat {}', `0x${'1'.repeat(40)}`), sealed],
    ['a model of a list', quotes, callWith('POST /v1/agent/chat {}', undefined, 'a'), sealed],
    [
      'another model of a list',
      quotes,
      callWith('x', undefined, 'a'),
      quotes.seal(callWith('x', undefined, 'b'), micro(1n)),
    ],
    ['an own model', quotes, callWith('x'), quotes.seal(callWith('x', undefined, 'b'), micro(1n))],
    ['another price', quotes, call, sealed.replace('.10000.', '.9999.')],
    ['more time', quotes, call, sealed.replace(/^[0-9a-z]+/, 'zzzzzzz')],
    ['another service', quoteWith(clock, { SIGNING_SECRET: 'y'.repeat(32) }), call, sealed],
    ['another payTo', quoteWith(clock, { X402_PAY_TO: `0x${'2'.repeat(40)}` }), call, sealed],
    ['another network', quoteWith(clock, { X402_NETWORK: 'eip155:84532' }), call, sealed],
    ['another token', quoteWith(clock, { X402_ASSET: `0x${'3'.repeat(40)}` }), call, sealed],
    ['a word before it', quotes, call, `x ${sealed}`],
    ['a word behind it', quotes, call, `${sealed} x`],
    ['a letter behind it', quotes, call, `${sealed}A`],
    ['no price', quotes, call, sealed.replace('.10000.', '..')],
    ['a price with a leading zero', quotes, call, sealed.replace('.10000.', '.010000.')],
    ['a shorter seal', quotes, call, sealed.slice(0, -1)],
    ['nothing', quotes, call, ''],
    ['junk', quotes, call, 'a.b.c'],
  ])('does not open for %s', (_, service, other, text) => {
    expect(service.open(other, text)).toEqual({ outcome: 'foreign' });
  });

  it('is as long as it was written: fifteen minutes from the second in which it was made', () => {
    expect(sealed).toMatch(new RegExp(`^${(1_800_000_900).toString(36)}\\.10000\\.[A-Za-z0-9_-]{22}$`));
  });

  it('of a tier opens for the wallet whose tier it is, and for nobody else', () => {
    const alices = quotes.seal(call, micro(9_000n), ALICE);

    expect(quotes.open(call, alices, ALICE)).toEqual({ outcome: 'holds', price: 9_000n });
    expect(quotes.open(call, alices, BOB)).toEqual({ outcome: 'foreign' });
    expect(quotes.open(call, alices)).toEqual({ outcome: 'foreign' });
    expect(quotes.open(call, sealed, BOB).outcome).toBe('holds');
  });

  it('names its payer in whatever case', () => {
    const upper = callWith('x', `0x${'A'.repeat(40)}`);
    const lower = callWith('x', `0x${'a'.repeat(40)}`);

    expect(quotes.open(lower, quotes.seal(upper, micro(1n))).outcome).toBe('holds');
  });

  it.each([
    ['a call that names no payer', undefined, undefined, []],
    ['a payer in capitals and a tier', `0x${'A'.repeat(40)}`, ALICE, [ALICE]],
  ])(
    'seals %s by what it depends on, line by line, so that an upgrade opens it',
    (_, payer, tierOf, tier) => {
      const settings = readSettings({ SIGNING_SECRET: 'x'.repeat(32) });
      const { network, asset, payTo } = settings.x402;
      const body = callWith('body', payer);
      const expires = (1_800_000_900).toString(36);
      const lines = [expires, '7', network, asset, payTo, payer?.toLowerCase() ?? ''];
      const text = [...lines, body.fingerprint.toString('hex'), ...tier].join('\n');
      const mac = new SigningKeys(settings).sign('x402 quote', text).subarray(0, 16).toString('base64url');

      expect(quotes.seal(body, micro(7n), tierOf)).toBe(`${expires}.7.${mac}`);
    },
  );
});
