import type { Payer } from './payer';
import { Payers } from './payers';

describe('the payer of a rail', () => {
  const payers = new Payers({ refuseWallet: () => undefined } as never, {} as never);
  const proven = (id: string, ledgerAccount: string | undefined): Promise<Payer> => {
    const payer: Payer = { rail: 'voucher', id, ledgerAccount, limitedAs: id, discountPercent: 0 };
    return payers.provenIn({ payerOf: () => Promise.resolve(payer) } as never, {} as never);
  };

  it('names its ledger account after itself', async () => {
    await expect(proven('one', 'voucher:one')).resolves.toMatchObject({ id: 'one' });
    await expect(proven('one', undefined)).resolves.toMatchObject({ id: 'one' });
    await expect(proven('a:b', 'voucher:a:b')).resolves.toMatchObject({ id: 'a:b' });
  });

  it('is refused if statements would not find its ledger account', async () => {
    const why = 'The rail voucher must name the ledger account of a payer <accounts>:<id>';
    await expect(proven('voucher:one', 'voucher:one')).rejects.toThrow(why);
    await expect(proven('one', 'voucher:two')).rejects.toThrow(why);
    await expect(proven('one', 'one-voucher')).rejects.toThrow(why);
  });
});
