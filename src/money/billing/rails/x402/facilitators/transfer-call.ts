import { type Hex, encodeFunctionData, parseAbi, parseSignature } from 'viem';

import type { SignedPayment } from '../proof/signed-payment';
import { plainSignature } from './chain';

const transferAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
]);
/** 65 bytes in hex: the signature of a private key. */
const KEY_SIGNATURE = 132;

/** The call that a settlement sends to the token. */
export const transferCall = (payment: SignedPayment): Hex => {
  const { payer, payTo, amount, validAfter, validBefore, nonce } = payment;
  const common = [payer, payTo, amount, validAfter, validBefore, nonce] as const;
  const signature = plainSignature(payment);
  if (signature.length !== KEY_SIGNATURE) {
    return encodeFunctionData({
      abi: transferAbi,
      functionName: 'transferWithAuthorization',
      args: [...common, signature],
    });
  }
  const { r, s, v, yParity } = parseSignature(signature);
  return encodeFunctionData({
    abi: transferAbi,
    functionName: 'transferWithAuthorization',
    args: [...common, Number(v ?? BigInt(yParity + 27)), r, s],
  });
};
