import { CBORTag, type CBORType, encodeCBOR } from '@levischuck/tiny-cbor';

import type { SigningCertificate } from './signing-certificate';

const ALGORITHM = 1;
const CERTIFICATE_CHAIN = 33;
const SIGN1_TAG = 18;
/** The bytes beside the certificates: headers, the signature, and a padding of at least 256 bytes. */
const REST_BYTES = 1_024;

const plain = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

const protectedHeader = ({ chain, coseAlgorithm }: SigningCertificate): Uint8Array =>
  encodeCBOR(
    new Map<number, CBORType>([
      [ALGORITHM, coseAlgorithm],
      [CERTIFICATE_CHAIN, chain.map(({ raw }) => plain(raw))],
    ]),
  );

/** The bytes that a manifest reserves for its signature before the signature is known. */
export const signatureBytes = ({ chain }: SigningCertificate): number =>
  REST_BYTES + chain.reduce((sum, { raw }) => sum + raw.length, 0);

/**
 * A COSE_Sign1 (RFC 9052) of a detached payload, padded to `signatureBytes`. The C2PA library leaves this one structure
 * to its caller, because only the caller has the key.
 */
export const coseSignature = (payload: Uint8Array, certificate: SigningCertificate): Uint8Array => {
  const header = protectedHeader(certificate);
  const signed = encodeCBOR(['Signature1', header, new Uint8Array(), plain(payload)]);
  const signature = plain(certificate.sign(signed));
  const padded = (bytes: number): Uint8Array =>
    encodeCBOR(
      new CBORTag(SIGN1_TAG, [
        header,
        new Map<string, CBORType>([['pad', new Uint8Array(bytes)]]),
        null,
        signature,
      ]),
    );
  // CBOR encodes all lengths from 256 to 65535 in the same number of bytes, so the second try has the exact length.
  return padded(256 + signatureBytes(certificate) - padded(256).length);
};
