import { keccak256 } from '#kernel/keccak';

/** The 32 bytes that a wallet signs for a text (EIP-191). */
export const textDigest = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'utf8');
  return keccak256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes]));
};
