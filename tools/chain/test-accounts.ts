import { pbkdf2Sync } from 'node:crypto';
import { type Address, type Hex, toHex } from 'viem';
import { HDKey, hdKeyToAccount } from 'viem/accounts';

export interface TestAccount {
  readonly address: Address;
  readonly privateKey: Hex;
}

// The mnemonic of anvil. These keys are public, so on a real network their money would be stolen at once.
const MNEMONIC = 'test test test test test test test test test test test junk';

/** The accounts to which anvil gives ETH. viem would derive the seed for each of them again, which is slow. */
export const testAccounts = (count: number): readonly TestAccount[] => {
  const root = HDKey.fromMasterSeed(pbkdf2Sync(MNEMONIC, 'mnemonic', 2_048, 64, 'sha512'));
  return Array.from({ length: count }, (_, addressIndex) => {
    const account = hdKeyToAccount(root, { addressIndex });
    const { privateKey } = account.getHdKey();
    if (privateKey === null) {
      throw new Error('The test account has no private key.');
    }
    return { address: account.address, privateKey: toHex(privateKey) };
  });
};
