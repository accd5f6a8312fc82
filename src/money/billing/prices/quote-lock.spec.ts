import fc from 'fast-check';

import type { PricedCall } from '#models/catalog/priced-call';
import { Clock } from '#kernel/clock';
import { micro } from '#kernel/money';
import { parseWallet } from '#kernel/wallet-address';
import { readSettings } from '../../../settings';
import { SigningKeys } from '#platform/config/signing-keys';
import { QuoteLock } from './quote-lock';
import { QuoteExpired, QuoteMismatch } from './prices.errors';

class SetClock extends Clock {
  at = new Date('2026-01-01T12:00:00.900Z');

  override now(): Date {
    return this.at;
  }
}

const keysWith = (secret: string): SigningKeys =>
  new SigningKeys(readSettings({ SIGNING_SECRET: secret.padEnd(32, '.') }));

const CALL: PricedCall = {
  modelId: 'ember-image',
  mode: 't2i',
  input: 't2i|1|1K|-|silent',
  list: micro(30_770n),
  floor: micro(4_546n),
  live: false,
};
const PRICE = micro(29_232n);
const ALICE = parseWallet(`0x${'a'.repeat(40)}`)!;
const BOB = parseWallet(`0x${'b'.repeat(40)}`)!;

describe('a quote', () => {
  const clock = new SetClock();
  const locks = new QuoteLock(keysWith('one'), clock);

  beforeEach(() => {
    clock.at = new Date('2026-01-01T12:00:00.900Z');
  });

  it('holds for this very call, at its price, for fifteen minutes', () => {
    const { quoteId, expiresAt } = locks.seal(CALL, PRICE, undefined);

    clock.at = new Date('2026-01-01T12:14:59.999Z');

    expect(expiresAt).toEqual(new Date('2026-01-01T12:15:00.000Z'));
    expect(locks.open(quoteId, CALL, undefined)).toBe(29_232n);
    expect(quoteId.length).toBeLessThanOrEqual(500);
  });

  it('has expired when the fifteen minutes are over', () => {
    const { quoteId } = locks.seal(CALL, PRICE, undefined);

    clock.at = new Date('2026-01-01T12:15:00.000Z');

    expect(() => locks.open(quoteId, CALL, undefined)).toThrow(QuoteExpired);
  });

  it.each<[string, Partial<PricedCall>]>([
    ['another model', { modelId: 'ember-image-fast' }],
    ['another size', { input: 't2i|1|2K|-|silent' }],
    ['one more second', { input: 't2i|2|1K|-|silent' }],
  ])('is not for %s', (_what, other) => {
    const { quoteId } = locks.seal(CALL, PRICE, undefined);

    expect(() => locks.open(quoteId, { ...CALL, ...other }, undefined)).toThrow(QuoteMismatch);
  });

  it('made for nobody is anybody’s; one made for a wallet is that wallet’s alone', () => {
    const anyones = locks.seal(CALL, PRICE, undefined).quoteId;
    const alices = locks.seal(CALL, PRICE, ALICE).quoteId;

    expect(locks.open(anyones, CALL, BOB)).toBe(29_232n);
    expect(locks.open(alices, CALL, ALICE)).toBe(29_232n);
    expect(() => locks.open(alices, CALL, BOB)).toThrow('it was made for another payer');
    expect(() => locks.open(alices, CALL, undefined)).toThrow('it was made for another payer');
  });

  it('of another service is none of ours', () => {
    const { quoteId } = new QuoteLock(keysWith('two'), clock).seal(CALL, PRICE, undefined);

    expect(() => locks.open(quoteId, CALL, undefined)).toThrow('it is not a quote of this service');
  });

  it.each(['', 'qt_', 'qt_.', 'qt_a.b', 'nonsense', `qt_${'a'.repeat(450)}`, 'qt_..', 'QT_x.y'])(
    'was never made as %j',
    (quoteId) => {
      expect(() => locks.open(quoteId, CALL, undefined)).toThrow(QuoteMismatch);
    },
  );

  it('can’t be made cheaper: whatever is changed in it, it no longer opens', () => {
    const { quoteId } = locks.seal(CALL, PRICE, undefined);
    fc.assert(
      fc.property(fc.nat(quoteId.length - 1), fc.string({ minLength: 1, maxLength: 3 }), (at, text) => {
        const changed = quoteId.slice(0, at) + text + quoteId.slice(at + text.length);
        fc.pre(changed !== quoteId);
        let price: bigint | undefined;
        try {
          price = locks.open(changed, CALL, undefined);
        } catch (error) {
          expect(error).toBeInstanceOf(QuoteMismatch);
        }
        // The last base64 character has unused bits, so a changed copy may still be valid; its price is the same.
        expect([undefined, 29_232n]).toContain(price);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is refused in words that programs know, at the field that holds it', () => {
    const { quoteId } = locks.seal(CALL, PRICE, undefined);
    const refusalOf = (open: () => unknown): unknown => {
      try {
        return open();
      } catch (error) {
        const { kind, code, extras } = error as QuoteExpired;
        return { kind, code, param: extras.param };
      }
    };

    expect(refusalOf(() => locks.open('qt_nothing', CALL, undefined))).toEqual({
      kind: 'conflict',
      code: 'QUOTE_MISMATCH',
      param: 'quoteId',
    });
    clock.at = new Date('2026-01-01T12:15:00.000Z');
    expect(refusalOf(() => locks.open(quoteId, CALL, undefined))).toEqual({
      kind: 'conflict',
      code: 'QUOTE_EXPIRED',
      param: 'quoteId',
    });
  });

  it('is recognised by its prefix, and sealed for this purpose alone', () => {
    const { quoteId } = locks.seal(CALL, PRICE, undefined);
    const sealed = quoteId.slice('qt_'.length);

    expect(quoteId).toMatch(/^qt_[\w-]+\.[\w-]+$/);
    expect(keysWith('one').unseal('price lock', sealed)).toBeDefined();
    expect(() => locks.open(sealed, CALL, undefined)).toThrow(QuoteMismatch);
    expect(() => locks.open(`qt_${keysWith('one').seal('session', 'anything')}`, CALL, undefined)).toThrow(
      QuoteMismatch,
    );
  });
});
