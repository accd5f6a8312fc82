import { hashTypedData } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

import { micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
import { recoverSigner } from '#platform/signatures/recover-signer';
import { authorizationDigest, domainSeparator } from './authorization-digest';
import type { SignedPayment } from './signed-payment';

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const asset = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' as WalletAddress;
const payment: SignedPayment = {
  network: 'eip155:8453',
  asset,
  payer: account.address.toLowerCase() as WalletAddress,
  payTo: '0x209693bc6afc0c5328ba36faf03c514ef312287c' as WalletAddress,
  amount: micro(4_555n),
  validAfter: 0n,
  validBefore: 1_795_257_670n,
  nonce: `0x${'4c'.repeat(32)}`,
  signature: '0x',
};
const domain = { name: 'USD Coin', version: '2' };
const typed = {
  domain: { ...domain, chainId: 8453, verifyingContract: asset },
  types: {
    TransferWithAuthorization: [
      { name: 'from', type: 'address' },
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'validAfter', type: 'uint256' },
      { name: 'validBefore', type: 'uint256' },
      { name: 'nonce', type: 'bytes32' },
    ],
  },
  primaryType: 'TransferWithAuthorization',
  message: {
    from: payment.payer,
    to: payment.payTo,
    value: payment.amount,
    validAfter: payment.validAfter,
    validBefore: payment.validBefore,
    nonce: payment.nonce,
  },
} as const;

describe('what a payer signs', () => {
  const separator = domainSeparator(domain, 8453, asset);

  it("is the domain of the network's USDC", () => {
    expect(separator.toString('hex')).toBe(
      '02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f',
    );
  });

  it('is what wallets make of the typed data', () => {
    expect(`0x${authorizationDigest(separator, payment).toString('hex')}`).toBe(hashTypedData(typed));
  });

  it('names its signer', async () => {
    const signature = await account.signTypedData(typed);

    expect(recoverSigner(authorizationDigest(separator, payment), signature)).toBe(payment.payer);
  });
});
