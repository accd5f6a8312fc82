import { keccak256, toHex } from 'viem';

import type { WalletAddress } from '../../../../kernel/wallet-address';
import type { TokenDomain } from '../networks';
import type { SignedPayment } from './signed-payment';

const hash = (bytes: Buffer): Buffer => Buffer.from(keccak256(bytes).slice(2), 'hex');
const hashText = (text: string): Buffer => hash(Buffer.from(text, 'utf8'));

const DOMAIN_TYPE = hashText(
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)',
);
const TRANSFER_TYPE = hashText(
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
);
const PREFIX = Buffer.from('1901', 'hex');

/** One ABI word of 32 bytes. */
const word = (value: bigint): Buffer => Buffer.from(toHex(value, { size: 32 }).slice(2), 'hex');

/** What the token's contract calls its domain separator; it changes only with the network and the token. */
export const domainSeparator = (domain: TokenDomain, chainId: number, asset: WalletAddress): Buffer =>
  hash(
    Buffer.concat([
      DOMAIN_TYPE,
      hashText(domain.name),
      hashText(domain.version),
      word(BigInt(chainId)),
      word(BigInt(asset)),
    ]),
  );

/** The 32 bytes that the payer signed. Written out by hand, because a general encoder takes ten times as long. */
export const authorizationDigest = (separator: Buffer, payment: SignedPayment): Buffer =>
  hash(
    Buffer.concat([
      PREFIX,
      separator,
      hash(
        Buffer.concat([
          TRANSFER_TYPE,
          word(BigInt(payment.payer)),
          word(BigInt(payment.payTo)),
          word(payment.amount),
          word(payment.validAfter),
          word(payment.validBefore),
          Buffer.from(payment.nonce.slice(2), 'hex'),
        ]),
      ),
    ]),
  );
