import { keccak256 } from '#kernel/keccak';
import type { WalletAddress } from '#kernel/wallet-address';
import type { SignedPayment } from './signed-payment';
import type { X402Network } from '#money/networks/networks';

export const hashText = (text: string): string => keccak256(text).toString('hex');

const DOMAIN_TYPE = hashText(
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)',
);
const TRANSFER_TYPE = hashText(
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
);
const PREFIX = Buffer.from('1901', 'hex');

/** One ABI word of 32 bytes in hex. The value is a number, or hex digits after 0x. */
export const word = (value: bigint | `0x${string}`): string =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(64, '0');

const hashWords = (words: readonly string[]): Buffer => keccak256(Buffer.from(words.join(''), 'hex'));

/** The domain separator of the token's contract. It changes only with the network and the token. */
export const domainSeparator = (
  domain: X402Network['domain'],
  chainId: number,
  asset: WalletAddress,
): Buffer =>
  hashWords([
    DOMAIN_TYPE,
    hashText(domain.name),
    hashText(domain.version),
    word(BigInt(chainId)),
    word(asset),
  ]);

/**
 * The 32 bytes that a wallet signs for a message of a type, given as words. A general encoder would take ten times as
 * long as this code.
 */
export const typedDigest = (separator: Buffer, type: string, message: readonly string[]): Buffer =>
  keccak256(Buffer.concat([PREFIX, separator, hashWords([type, ...message])]));

/** The digest that the payer of an authorization signed. */
export const authorizationDigest = (separator: Buffer, payment: SignedPayment): Buffer => {
  const { payer, payTo, amount, validAfter, validBefore, nonce } = payment;
  const message = [payer, payTo, amount, validAfter, validBefore, nonce].map(word);
  return typedDigest(separator, TRANSFER_TYPE, message);
};
