import { readSignInHeader } from './sign-in-header';
import { parseSignInMessage, writeSignInMessage } from './sign-in-message';

const ADDRESS = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const SIGNATURE = `0x${'ab'.repeat(65)}`;

const text = (changes: Partial<Record<string, string>> = {}): string => {
  const { domain = 'api.example', statement, tail = '', issued = '2026-11-21T11:03:18.066Z' } = changes;
  return (
    `${domain} wants you to sign in with your Ethereum account:\n${ADDRESS}\n\n` +
    (statement === undefined ? '\n' : `${statement}\n\n`) +
    `URI: https://api.example/v1\nVersion: 1\nChain ID: 8453\nNonce: c901bb3b89d34526\nIssued At: ${issued}${tail}`
  );
};

const header = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

describe('the text of a sign-in', () => {
  it.each([
    ['without a statement', text()],
    ['with one', text({ statement: 'Sign in to Venice AI' })],
    ['without milliseconds', text({ issued: '2026-11-21T11:03:18Z' })],
    ['in another time zone', text({ issued: '2026-11-21T12:03:18+01:00' })],
    [
      'with all its optional fields',
      text({
        tail:
          '\nExpiration Time: 2026-11-21T11:08:18.066Z\nNot Before: 2026-11-21T11:00:00Z\nRequest ID: 7' +
          '\nResources:\n- https://api.example/v1/agent/chat\n- ipfs://x',
      }),
    ],
  ])('is read %s', (_, message) => {
    expect(parseSignInMessage(message)).toMatchObject({
      domain: 'api.example',
      wallet: ADDRESS.toLowerCase(),
      chainId: 8453,
    });
  });

  it.each([
    ['with words behind it', text({ tail: '\nand send all my money' })],
    ['with words before it', `Hello\n${text()}`],
    ['with two statements', text({ statement: 'one\ntwo' })],
    ['without a time zone', text({ issued: '2026-11-21T11:03:18' })],
    ['on a day that no calendar has', text({ issued: '2026-13-41T11:03:18Z' })],
    ['of another version', text().replace('Version: 1', 'Version: 2')],
    ['with a short nonce', text().replace('c901bb3b89d34526', 'c901')],
    ['with its fields in another order', text().replace(/(Version: 1)\n(Chain ID: 8453)/, '$2\n$1')],
    ['without Issued At', text().replace(/\nIssued At:.*/, '')],
  ])('is refused %s', (_, message) => {
    expect(parseSignInMessage(message)).toBeUndefined();
  });

  it('reads a hostile text in no time', () => {
    const started = performance.now();

    expect(parseSignInMessage(`${'a'.repeat(4_000)}${'\n- x'.repeat(1_000)}`)).toBeUndefined();

    expect(performance.now() - started).toBeLessThan(200);
  });
});

describe('a wallet header', () => {
  const flat = {
    domain: 'api.example',
    address: ADDRESS,
    uri: 'https://api.example/v1/agent/chat',
    version: '1',
    chainId: 'eip155:8453',
    type: 'eip191',
    nonce: '10e0cafffcc05ec1c0aa7b0602fd72ec',
    issuedAt: '2026-11-21T11:03:18.160Z',
    resources: ['https://api.example/v1/agent/chat'],
    signature: SIGNATURE,
  };

  it.each([
    ['{message, signature}', header({ message: text(), signature: SIGNATURE })],
    [
      'the same in base64url',
      header({ message: text({ statement: 'ÿ~ÿ~?>' }), signature: SIGNATURE })
        .replaceAll('+', '-')
        .replaceAll('/', '_'),
    ],
    [
      'the same with further fields',
      header({ address: ADDRESS, message: text(), signature: SIGNATURE, timestamp: 1, chainId: 8453 }),
    ],
    ["the x402 extension's flat object", header(flat)],
  ])('is read as %s', (_, value) => {
    expect(readSignInHeader(value)?.message.wallet).toBe(ADDRESS.toLowerCase());
  });

  it.each([
    [
      'an address that differs from the message',
      header({ address: `0x${'1'.repeat(40)}`, message: text(), signature: SIGNATURE }),
    ],
    ['no JSON', Buffer.from('{"message"').toString('base64')],
    ['an array', header([])],
    ['null', header(null)],
    ['no base64', '{"message":"x"}'],
    ['a signature that is none', header({ message: text(), signature: 'yes' })],
    ['fields of the wrong type', header({ ...flat, nonce: 5 })],
    ['resources that are no list of texts', header({ ...flat, resources: [{}] })],
    ['more than 8 KB', header({ message: text(), signature: SIGNATURE, more: 'x'.repeat(9_000) })],
  ])('is refused with %s', (_, value) => {
    expect(readSignInHeader(value)).toBeUndefined();
  });

  it('says what was signed, by what, and in which shape', () => {
    const whole = {
      ...flat,
      statement: 'Sign in.',
      expirationTime: '2026-11-21T11:08:18Z',
      notBefore: '2026-11-21T11:00:00Z',
      requestId: '7',
    };

    expect(readSignInHeader(header({ message: text(), signature: SIGNATURE }))).toEqual({
      text: text(),
      message: parseSignInMessage(text()),
      signature: SIGNATURE,
      flat: false,
    });
    expect(readSignInHeader(header(whole))).toMatchObject({
      text: writeSignInMessage(whole),
      signature: SIGNATURE,
      flat: true,
    });
    expect(readSignInHeader(header({ ...flat, resources: undefined }))?.message.resources).toEqual([]);
  });

  it.each(['domain', 'address', 'uri', 'version', 'chainId', 'nonce', 'issuedAt'])(
    'that is flat is refused without its %s, and with a number for it',
    (name) => {
      expect(readSignInHeader(header({ ...flat, [name]: undefined }))).toBeUndefined();
      expect(readSignInHeader(header({ ...flat, [name]: 5 }))).toBeUndefined();
    },
  );

  it.each([
    ['statement', 5],
    ['requestId', 5],
    ['requestId', null],
    ['expirationTime', ['2026-11-21T11:08:18Z']],
    ['notBefore', ['2026-11-21T11:00:00Z']],
    ['domain', ['api.example']],
    ['nonce', 12_345_678],
    ['resources', 'https://api.example'],
    ['resources', [5]],
    ['resources', ['https://api.example', 5]],
    ['resources', {}],
    ['resources', null],
  ])('that is flat is refused when its %s is %j', (name, value) => {
    expect(readSignInHeader(header({ ...flat, [name]: value }))).toBeUndefined();
  });

  it.each([
    ['one digit', '0x1', false],
    ['two digits', '0x12', true],
    ['4096 digits', `0x${'a'.repeat(4_096)}`, true],
    ['4097 digits', `0x${'a'.repeat(4_097)}`, false],
    ['a word before it', `x${SIGNATURE}`, false],
    ['a word behind it', `${SIGNATURE} x`, false],
    ['capital letters', SIGNATURE.toUpperCase().replace('0X', '0x'), true],
    ['no text', 5, false],
    ['nothing', undefined, false],
  ])('with a signature of %s is read or not', (_, signature, taken) => {
    expect(readSignInHeader(header({ message: text(), signature })) !== undefined).toBe(taken);
  });

  it('is one run of base64 and nothing else', () => {
    const good = header({ message: text(), signature: SIGNATURE });

    for (const bad of ['', ` ${good}`, `${good} `, `${good}\n`, `${good}====`, `!${good}`]) {
      expect(readSignInHeader(bad)).toBeUndefined();
    }
  });

  it('has 8192 characters at most', () => {
    const json = JSON.stringify({ message: text(), signature: SIGNATURE });
    const longest = Buffer.from(json.padEnd(6_144)).toString('base64');

    expect(longest).toHaveLength(8_192);
    expect(readSignInHeader(longest)).toBeDefined();
    expect(readSignInHeader(`${longest}=`)).toBeUndefined();
  });

  it('is refused when its message is none, or its JSON is a number', () => {
    expect(readSignInHeader(header({ message: 'hello', signature: SIGNATURE }))).toBeUndefined();
    expect(readSignInHeader(header(5))).toBeUndefined();
    expect(readSignInHeader(header('text'))).toBeUndefined();
  });

  it('may name its wallet in whatever case', () => {
    const named = { address: ADDRESS.toLowerCase(), message: text(), signature: SIGNATURE };

    expect(readSignInHeader(header(named))?.flat).toBe(false);
  });
});
