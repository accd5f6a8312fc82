import { ecdsaRecover } from 'secp256k1';

import { keccak256 } from '#kernel/keccak';
import { type WalletAddress, parseWallet } from '#kernel/wallet-address';

/**
 * Half of the curve's order. Each signature above it has an equivalent signature below it. The service accepts only the
 * lower one.
 */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;

/** `v` is 27 or 28 on chain; some signers use 0 or 1. */
const recoveryId = (v: number): number | undefined =>
  v === 27 || v === 28 ? v - 27 : v === 0 || v === 1 ? v : undefined;

/**
 * The wallet that signed a 32-byte digest, or undefined for an invalid signature. The native library needs a twentieth
 * of the time of JavaScript. If its binary is missing, JavaScript recovers the signer.
 */
export const recoverSigner = (digest: Uint8Array, signature: string): WalletAddress | undefined => {
  if (!SIGNATURE.test(signature)) return undefined;
  const bytes = Buffer.from(signature.slice(2), 'hex');
  const id = recoveryId(bytes[64] ?? -1);
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  if (id === undefined || s > HALF_ORDER) return undefined;
  try {
    const key = ecdsaRecover(bytes.subarray(0, 64), id, digest, false);
    return parseWallet(`0x${keccak256(key.subarray(1)).toString('hex', 12)}`);
  } catch {
    return undefined; // The value is no point of the curve, so no key made this signature.
  }
};
