import { parseWallet } from '#kernel/wallet-address';
import { creditsAccount, walletAccount, walletOf } from './account-id';

const WALLET = parseWallet(`0x${'a'.repeat(40)}`)!;

describe("the ledger's name", () => {
  it('for a wallet says which wallet it is', () => {
    expect(walletAccount(WALLET)).toBe(`wallet:${WALLET}`);
    expect(walletOf(walletAccount(WALLET))).toBe(WALLET);
  });

  it("for an account's credits is no wallet's, whatever the account is called", () => {
    expect(creditsAccount('acc_1')).toBe('credits:acc_1');
    expect(walletOf(creditsAccount(`wallet:${WALLET}`))).toBeUndefined();
  });

  it.each(['', 'wallet:', WALLET, `xwallet:${WALLET}`, `wallet:${WALLET}\n`])(
    'is no wallet’s as %j',
    (account) => {
      expect(walletOf(account)).toBeUndefined();
    },
  );
});
