import { type KeyObject, createPrivateKey } from 'node:crypto';

/** The bytes before the 32 bytes of a private Ed25519 key in PKCS #8. */
const PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The private key of a seed of 32 bytes. */
export const ed25519Key = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PREFIX, seed]), format: 'der', type: 'pkcs8' });
