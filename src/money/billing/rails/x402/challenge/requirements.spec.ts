import fc from 'fast-check';

import { micro } from '#kernel/money';
import { readSettings } from '../../../../../settings';
import {
  SETTLE_SECONDS,
  encodeBefore,
  encodeEnd,
  encodeHeader,
  maxTimeoutSeconds,
  requirementOf,
  v1RequirementsOf,
} from './requirements';

const settingsOf = (variables: Readonly<Record<string, string>>) => readSettings(variables).x402;
const opened = (head: object): string => JSON.stringify(head).slice(0, -1);
const RESOURCE = { url: 'https://api.example.com/x', description: 'One.', mimeType: 'application/json' };

describe('a requirement', () => {
  it('gives the run, the settlement and the signing their time, and never less than clients are used to', () => {
    expect([maxTimeoutSeconds(25), maxTimeoutSeconds(150), maxTimeoutSeconds(151)]).toEqual([300, 300, 301]);
  });

  it("names the token's own domain, which differs between networks", () => {
    const main = requirementOf(settingsOf({}), micro(1n), 300);
    const test = requirementOf(settingsOf({ X402_NETWORK: 'eip155:84532' }), micro(1n), 300);

    expect([main.extra, test.extra]).toEqual([
      { name: 'USD Coin', version: '2' },
      { name: 'USDC', version: '2' },
    ]);
  });

  it('says what must be signed, with the quote if there is one', () => {
    const settings = settingsOf({});
    const plain = {
      scheme: 'exact',
      network: 'eip155:8453',
      amount: '7',
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      payTo: '0x000000000000000000000000000000000000dEaD',
      maxTimeoutSeconds: 301,
      extra: { name: 'USD Coin', version: '2' },
    };

    expect(requirementOf(settings, micro(7n), 301)).toStrictEqual(plain);
    expect(requirementOf(settings, micro(7n), 301, 'quote')).toStrictEqual({
      ...plain,
      extra: { ...plain.extra, quote: 'quote' },
    });
  });

  it('leaves a settlement half a minute', () => {
    expect(SETTLE_SECONDS).toBe(30);
  });

  it('has no first version where that has no name for the network', () => {
    const strange = requirementOf(settingsOf({ X402_NETWORK: 'eip155:424242' }), micro(1n), 300, 'quote');

    expect(v1RequirementsOf(strange, RESOURCE)).toEqual([]);
  });

  it('keeps the quote from clients that would not echo it', () => {
    const [first] = v1RequirementsOf(requirementOf(settingsOf({}), micro(7n), 300, 'quote'), RESOURCE);

    expect(first).toEqual({
      scheme: 'exact',
      network: 'base',
      maxAmountRequired: '7',
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      payTo: '0x000000000000000000000000000000000000dEaD',
      maxTimeoutSeconds: 300,
      resource: 'https://api.example.com/x',
      description: 'One.',
      mimeType: 'application/json',
      extra: { name: 'USD Coin', version: '2' },
    });
  });
});

describe('a challenge', () => {
  const read = (header: string): unknown => JSON.parse(Buffer.from(header, 'base64').toString('utf8'));

  it('is base64 of JSON', () => {
    expect(encodeHeader({ a: 'é' })).toBe('eyJhIjoiw6kifQ==');
  });

  it('says the same when its end was encoded before, whatever it contains', () => {
    const texts = fc.dictionary(
      fc.string({ unit: 'binary', minLength: 1 }).filter((name) => name !== '__proto__'),
      fc.string(),
      {
        minKeys: 1,
        maxKeys: 3,
      },
    );
    fc.assert(
      fc.property(texts, texts, (head, tail) => {
        const whole = encodeBefore(opened(head), encodeEnd('the end', tail));
        expect(whole).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
        expect(read(whole)).toEqual(JSON.parse(JSON.stringify({ ...head, 'the end': tail })));
      }),
    );
  });

  it.each([
    ['fits', 'abc'],
    ['lacks one byte', 'ab'],
    ['lacks two', 'a'],
  ])('is no longer than it must be when its last group %s', (_, text) => {
    const head = { x: text };
    const end = encodeEnd('y', {});
    const bytes = Buffer.byteLength(JSON.stringify(head));

    expect(encodeBefore(opened(head), end)).toHaveLength(Math.ceil(bytes / 3) * 4 + end.length);
  });
});
