import { randomBytes } from 'node:crypto';

import { BATCH_SETTLEMENT_ADDRESS, BATCH_SETTLEMENT_DOMAIN, voucherTypes } from '@x402/evm';
import { hashTypedData } from 'viem';

import { micro } from '#kernel/money';
import { voucherDigest } from './channel-payment';

describe('the digest of a voucher', () => {
  it.each([1n, 2_000n, 9_007_199_254_740_991n])('is that of the published types, for %s', (amount) => {
    for (const chainId of [8_453, 137, 8_453]) {
      const channelId = `0x${randomBytes(32).toString('hex')}` as const;

      const digest = voucherDigest(chainId, channelId, micro(amount));

      expect(`0x${digest.toString('hex')}`).toBe(
        hashTypedData({
          domain: { ...BATCH_SETTLEMENT_DOMAIN, chainId, verifyingContract: BATCH_SETTLEMENT_ADDRESS },
          types: voucherTypes,
          primaryType: 'Voucher',
          message: { channelId, maxClaimableAmount: amount },
        }),
      );
    }
  });
});
