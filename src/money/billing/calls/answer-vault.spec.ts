import { createHash } from 'node:crypto';

import { readSettings } from '../../../settings';
import { SigningKeys } from '#platform/config/signing-keys';
import { AnswerVault } from './answer-vault';

const vaultWith = (secret: string): AnswerVault =>
  new AnswerVault(new SigningKeys(readSettings({ SIGNING_SECRET: secret.padEnd(32, '.') })));
const printOf = (text: string): Buffer => createHash('sha256').update(text).digest();

const ANSWER = { text: 'Grüße 🦊', costMicro: 4_555 };

describe('a sealed answer', () => {
  const vault = vaultWith('one');
  const sealed = vault.seal('wallet:0xa', printOf('body'), ANSWER);

  it('opens for the caller and the body that it was made for', () => {
    expect(vault.open('wallet:0xa', printOf('body'), sealed)).toEqual(ANSWER);
  });

  it('opens after an upgrade, as long as the secret is the same', () => {
    const earlier =
      'tNc6ZaXaLLVm7hejrL4kFZC9cq75vYnTb5y/pYDtdMsH6PNkOgajRMFXX1x+xyYH+F8WtXY4P5/eHTtAZR77PF+KV8w=';

    expect(vault.open('wallet:0xa', printOf('body'), Buffer.from(earlier, 'base64'))).toEqual(ANSWER);
  });

  it.each<[string, AnswerVault, string, Buffer]>([
    ['another caller', vault, 'wallet:0xb', printOf('body')],
    ['another body', vault, 'wallet:0xa', printOf('other')],
    ['a service of another secret', vaultWith('two'), 'wallet:0xa', printOf('body')],
    // Moving a character between owner and body must change the key.
    ['a caller whose name runs on into the body', vault, 'wallet:0xa\n', printOf('body').subarray(1)],
  ])('stays shut for %s', (_, other, owner, fingerprint) => {
    expect(() => other.open(owner, fingerprint, sealed)).toThrow(/authenticate data/);
  });

  it('keeps its caller and its body apart', () => {
    const joined = vault.seal('ab', Buffer.from('c'), ANSWER);

    expect(() => vault.open('a', Buffer.from('bc'), joined)).toThrow(/authenticate data/);
  });
});
