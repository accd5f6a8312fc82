import { createPrivateKey, sign } from 'node:crypto';

import { parseVerifierKey, signNote, verifierKey } from './signed-note';

/** The keys and the note of golang.org/x/mod/sumdb/note, note_test.go. */
const VKEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const SEED = Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1);
const TEXT =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const SIGNATURE =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';

const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

describe('a signed note', () => {
  const { publicBytes } = parseVerifierKey(VKEY)!;
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, SEED]), format: 'der', type: 'pkcs8' });

  it('is signed as the Go tools sign it', () => {
    const note = signNote(TEXT, 'PeterNeumann', [{ publicBytes, sign: (bytes) => sign(null, bytes, key) }]);

    expect(note).toBe(`${TEXT}\n${SIGNATURE}`);
  });

  it('has the verifier key that the Go tools make', () => {
    expect(verifierKey('PeterNeumann', publicBytes)).toBe(VKEY);
  });

  it.each([
    'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==',
    'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    ...Array.from({ length: VKEY.length - 1 }, (_, at) => VKEY.slice(0, at + 1)),
    ...Array.from({ length: VKEY.length - 1 }, (_, at) => VKEY.slice(at + 1)),
  ])('takes no %j for a verifier key', (text) => {
    expect(parseVerifierKey(text)).toBeUndefined();
  });
});
