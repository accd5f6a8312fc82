import type { PaymentRail } from './rail';
import type { RailFacts } from './rail-facts';
import { Rails } from './rails';

/** A rail with the fields that the list of rails reads. */
const rail = (className: string, facts: Partial<RailFacts>): PaymentRail => {
  const Named = { [className]: class {} }[className] as new () => object;
  return Object.assign(new Named(), { facts, name: facts.name }) as unknown as PaymentRail;
};

describe('the list of rails', () => {
  it('ends the start where two have one name, and names both', () => {
    const rails = [
      rail('VoucherRail', { name: 'voucher', accounts: 'voucher' }),
      rail('CardRail', { name: 'card' }),
      rail('GiftRail', { name: 'voucher', accounts: 'gift' }),
    ];

    expect(() => new Rails(rails)).toThrow('The rails VoucherRail and GiftRail are both named voucher.');
  });

  it('ends it where two would spend from the same accounts', () => {
    const rails = [
      rail('VoucherRail', { name: 'voucher', accounts: 'voucher' }),
      rail('GiftRail', { name: 'gift', accounts: 'voucher' }),
    ];

    expect(() => new Rails(rails)).toThrow(
      'The rails VoucherRail and GiftRail both spend from accounts that begin with voucher.',
    );
  });

  it('takes rails of different names, some of them without accounts', () => {
    const rails = [rail('CardRail', { name: 'card' }), rail('CashRail', { name: 'cash' })];

    expect(new Rails(rails).of('cash')).toBe(rails[1]);
  });
});
