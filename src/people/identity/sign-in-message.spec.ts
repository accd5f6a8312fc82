import fc from 'fast-check';

import { type FlatSignIn, parseSignInMessage, writeSignInMessage } from './sign-in-message';

const ADDRESS = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const REQUIRED: FlatSignIn = {
  domain: 'api.example',
  address: ADDRESS,
  uri: 'https://api.example/v1',
  version: '1',
  chainId: 'eip155:8453',
  nonce: 'c901bb3b89d34526',
  issuedAt: '2026-11-21T11:03:18.066Z',
};
const ALL: FlatSignIn = {
  ...REQUIRED,
  statement: 'Sign in.',
  expirationTime: '2026-11-21T11:08:18Z',
  notBefore: '2026-11-21T12:00:00+01:00',
  requestId: '7',
  resources: ['https://api.example/v1/agent/chat', 'ipfs://x'],
};
const LEAST = writeSignInMessage(REQUIRED);
const WHOLE = writeSignInMessage(ALL);

describe('the text that a flat sign-in represents', () => {
  it('is what EIP-4361 says, with its required fields only', () => {
    expect(LEAST).toBe(
      'api.example wants you to sign in with your Ethereum account:\n' +
        `${ADDRESS}\n\n\n` +
        'URI: https://api.example/v1\nVersion: 1\nChain ID: 8453\nNonce: c901bb3b89d34526\n' +
        'Issued At: 2026-11-21T11:03:18.066Z',
    );
    expect(writeSignInMessage({ ...REQUIRED, resources: [] })).toBe(LEAST);
    expect(writeSignInMessage({ ...REQUIRED, chainId: '8453' })).toBe(LEAST);
  });

  it('is what EIP-4361 says, with all of them', () => {
    expect(WHOLE).toBe(
      'api.example wants you to sign in with your Ethereum account:\n' +
        `${ADDRESS}\n\nSign in.\n\n` +
        'URI: https://api.example/v1\nVersion: 1\nChain ID: 8453\nNonce: c901bb3b89d34526\n' +
        'Issued At: 2026-11-21T11:03:18.066Z\nExpiration Time: 2026-11-21T11:08:18Z\n' +
        'Not Before: 2026-11-21T12:00:00+01:00\nRequest ID: 7\n' +
        'Resources:\n- https://api.example/v1/agent/chat\n- ipfs://x',
    );
  });
});

describe('a signed text', () => {
  it('is read field by field', () => {
    expect(parseSignInMessage(LEAST)).toEqual({
      domain: 'api.example',
      wallet: ADDRESS.toLowerCase(),
      uri: 'https://api.example/v1',
      chainId: 8453,
      nonce: 'c901bb3b89d34526',
      issuedAt: new Date('2026-11-21T11:03:18.066Z'),
      resources: [],
    });
    expect(parseSignInMessage(WHOLE)).toEqual({
      ...parseSignInMessage(LEAST),
      expiresAt: new Date('2026-11-21T11:08:18Z'),
      notBefore: new Date('2026-11-21T11:00:00Z'),
      resources: ['https://api.example/v1/agent/chat', 'ipfs://x'],
    });
  });

  it.each([
    ['a scheme before the domain', LEAST.replace('api.example wants', 'https://api.example wants')],
    ['the plain scheme', LEAST.replace('api.example wants', 'http://api.example wants')],
  ])('may have %s', (_, text) => {
    expect(parseSignInMessage(text)?.domain).toBe('api.example');
  });

  it.each<[string, string, string | RegExp, string]>([
    ['a line before it', LEAST, /^/, 'Hello\n'],
    ['a word before it', LEAST, /^/, 'x '],
    ['a line behind it', WHOLE, /$/, '\nmore'],
    ['a line feed behind it', LEAST, /$/, '\n'],
    ['another scheme', LEAST, 'api.example wants', 'ftp://api.example wants'],
    ['a path behind the domain', LEAST, 'api.example wants', 'api.example/x wants'],
    ['no domain', LEAST, 'api.example wants', ' wants'],
    ['a domain that is too long', LEAST, 'api.example wants', `${'a'.repeat(254)} wants`],
    ['a short address', LEAST, ADDRESS, ADDRESS.slice(0, -1)],
    ['an address that is none', LEAST, ADDRESS, `0x${'g'.repeat(40)}`],
    ['one line feed too few', WHOLE, '\n\nSign in.', '\nSign in.'],
    ['a statement that is too long', WHOLE, 'Sign in.', 'x'.repeat(1_001)],
    ['a statement of two lines', WHOLE, 'Sign in.', 'Sign\nin.'],
    ['an empty URI', LEAST, 'URI: https://api.example/v1', 'URI: '],
    ['a URI with a blank', LEAST, 'example/v1', 'example/v 1'],
    ['a chain in words', LEAST, '8453', 'base'],
    ['a chain that is too long', LEAST, '8453', '1'.repeat(16)],
    ['a nonce of seven letters', LEAST, 'c901bb3b89d34526', 'c901bb3'],
    ['a nonce with a sign', LEAST, 'c901bb3b89d34526', 'c901bb3b-9d34526'],
    ['a nonce that is too long', LEAST, 'c901bb3b89d34526', 'a'.repeat(129)],
    ['a time with ten places', LEAST, '.066Z', '.0660000000Z'],
    ['a point and no places', LEAST, '.066Z', '.Z'],
    ['a year of five digits', LEAST, '2026-', '12026-'],
    ['a month that no calendar has', LEAST, '2026-11', '2026-13'],
    ['an end that no calendar has', WHOLE, '2026-11-21T11:08:18Z', '2026-13-21T11:08:18Z'],
    ['a beginning that no calendar has', WHOLE, '2026-11-21T12:00:00+01:00', '2026-13-21T12:00:00+01:00'],
    ['a request that is too long', WHOLE, 'Request ID: 7', `Request ID: ${'7'.repeat(501)}`],
    ['a resource with a blank', WHOLE, 'ipfs://x', 'ipfs://x y'],
    ['an empty resource', WHOLE, 'ipfs://x', ''],
    ['more than 50 resources', WHOLE, /$/, '\n- x'.repeat(49)],
  ])('is refused for %s', (_, text, from, to) => {
    expect(text).toMatch(from);
    expect(parseSignInMessage(text.replace(from, to))).toBeUndefined();
  });

  it('comes back as it was written, whatever its fields say', () => {
    const nonce = fc.stringMatching(/^[a-zA-Z0-9]{8,128}$/);
    const statement = fc.option(fc.stringMatching(/^[ -~]{0,100}$/), { nil: undefined });
    const resources = fc.array(fc.webUrl(), { maxLength: 4 });
    fc.assert(
      fc.property(nonce, statement, resources, fc.nat(), (noncesText, text, urls, chain) => {
        const fields = {
          ...REQUIRED,
          nonce: noncesText,
          statement: text,
          resources: urls,
          chainId: `eip155:${chain}`,
        };
        expect(parseSignInMessage(writeSignInMessage(fields))).toMatchObject({
          nonce: noncesText,
          chainId: chain,
          resources: urls,
        });
      }),
      { numRuns: 40 },
    );
  });
});
