import { REDACTED, WITHHELD, createScrubber } from './scrub';

const { scrubText, scrubValue } = createScrubber({
  headers: [
    'x-api-key',
    'payment-signature',
    'x-payment',
    'x-402-payment',
    'sign-in-with-x',
    'x-sign-in-with-x',
  ],
  secrets: [/(lp_)()[A-Za-z0-9]{20,}/g],
});

const API_KEY = `lp_${'aB3'.repeat(21)}z`;
const PRIVATE_KEY = `0x${'ab12'.repeat(16)}`;

describe('scrubbing a text', () => {
  it.each([
    ['an API key', `called with ${API_KEY} today`, `called with lp_${REDACTED} today`],
    ['a private key', `signer ${PRIVATE_KEY}.`, `signer ${REDACTED}.`],
    ['a private key without 0x', `signer ${PRIVATE_KEY.slice(2)}`, `signer ${REDACTED}`],
    ['a bearer token', 'sent Bearer abc.def-123', `sent Bearer ${REDACTED}`],
    ['a header', 'X-Api-Key: s3cret', `X-Api-Key: ${REDACTED}`],
    ['a header as JSON', '{"payment-signature":"eyJ4","a":1}', `{"payment-signature":"${REDACTED}","a":1}`],
    ['a sign-in', 'X-Sign-In-With-X: eyJhIjoxfQ==', `X-Sign-In-With-X: ${REDACTED}`],
    ['a password in an address', 'postgres://me:hunter2@db/x', `postgres://me:${REDACTED}@db/x`],
  ])('hides %s', (_, text, expected) => {
    expect(scrubText(text)).toBe(expected);
  });

  it('leaves addresses, ids and amounts readable', () => {
    const text = 'charge ch_0abc of 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 for 4546 micro';

    expect(scrubText(text)).toBe(text);
  });

  it('shows control characters instead of obeying them', () => {
    expect(scrubText('fox\n{"level":"error"}\u001b[31m\u0085\u2028\u202e\u0000')).toBe(
      'fox\\n{"level":"error"}\\u001b[31m\\u0085\\u2028\\u202e\\u0000',
    );
  });

  it('says the same of what it has seen before', () => {
    const texts = [`called with ${API_KEY}`, 'answered', 'fox\n'];
    const seen = texts.map(scrubText);

    expect(texts.map(scrubText)).toEqual(seen);
    expect(seen).toEqual([`called with lp_${REDACTED}`, 'answered', 'fox\\n']);
  });

  it('forgets, and goes on hiding, however many texts pass', () => {
    for (let i = 0; i < 3_000; i += 1) scrubText(`text ${i}`);

    expect(scrubText('answered')).toBe('answered');
    expect(scrubText(`called with ${API_KEY}`)).toBe(`called with lp_${REDACTED}`);
  });

  it('bounds the length', () => {
    expect(scrubText('x'.repeat(1_000_000))).toHaveLength(8_193);
  });
});

describe('scrubbing a value', () => {
  it('hides the credentials of a request, however their names are written', () => {
    const headers = {
      Authorization: 'Basic eA==',
      'x-api-key': 'a',
      'PAYMENT-SIGNATURE': 'b',
      'x-payment': 'c',
      'x-402-payment': 'd',
      'sign-in-with-x': 'e',
      'x-sign-in-with-x': 'f',
      cookie: 'g',
      'set-cookie': ['h'],
      accept: '*/*',
    };

    expect(new Set(Object.values(scrubValue({ headers }) as object).flatMap(Object.values))).toEqual(
      new Set([REDACTED, '*/*']),
    );
  });

  it('withholds what callers wrote', () => {
    expect(
      scrubValue({ prompt: 'a red fox', messages: [{ content: 'hi' }], label: 'me', modelId: 'm' }),
    ).toEqual({
      prompt: WITHHELD,
      messages: WITHHELD,
      label: WITHHELD,
      modelId: 'm',
    });
  });

  it('keeps a transaction hash under its own name', () => {
    expect(scrubValue({ transaction: PRIVATE_KEY, other: PRIVATE_KEY })).toEqual({
      transaction: PRIVATE_KEY,
      other: REDACTED,
    });
  });

  it('keeps of an error what every error has, and nothing that a driver hung on it', () => {
    const error = Object.assign(new Error(`refused ${API_KEY}`), {
      code: '23505',
      parameters: ['a red fox'],
      cause: new TypeError('Bearer abcdefgh'),
    });

    expect(scrubValue(error)).toMatchObject({
      type: 'Error',
      message: `refused lp_${REDACTED}`,
      code: '23505',
      cause: { type: 'TypeError', message: `Bearer ${REDACTED}` },
    });
    expect(JSON.stringify(scrubValue(error))).not.toContain('red fox');
    expect(JSON.stringify(scrubValue(error))).not.toContain(API_KEY);
  });

  it('survives circles, bigints, bytes and wide arrays', () => {
    const circle: Record<string, unknown> = { amount: 12n, bytes: Buffer.alloc(5), wide: Array(99).fill(1) };
    circle['self'] = circle;

    expect(scrubValue(circle)).toMatchObject({ amount: '12', bytes: '[5 bytes]' });
    expect((scrubValue(circle) as { wide: unknown[] }).wide).toHaveLength(50);
  });
});
