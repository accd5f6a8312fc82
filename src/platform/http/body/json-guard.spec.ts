import * as fc from 'fast-check';

import { InvalidRequest } from '#kernel/app-error';
import { JsonGuard } from './json-guard';

const verdict = (text: string, size = 65_536): string => {
  const guard = new JsonGuard();
  const bytes = Buffer.from(text);
  try {
    for (let at = 0; at < bytes.length; at += size) guard.feed(bytes.subarray(at, at + size));
    return 'passes';
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    return error.message;
  }
};

describe('the guard of bodies', () => {
  it('says the same of a body in whatever slices it comes', () => {
    const bodies = [
      '{"a":"\\\\","b":[1,2,{"c":"\\""}],"a":2}',
      '{"a":{"a":1},"b":{"a":1}}',
      '{"__proto__":1}',
      '{"\\u005f_proto__":1}',
      `${'['.repeat(33)}${']'.repeat(33)}`,
      `[${'1,'.repeat(100_001)}1]`,
    ];
    fc.assert(
      fc.property(fc.constantFrom(...bodies), fc.integer({ min: 1, max: 40 }), (body, size) => {
        expect(verdict(body, size)).toBe(verdict(body));
      }),
    );
    expect(bodies.map((body) => verdict(body))).toEqual([
      'The body names a twice; which one is meant?',
      'passes',
      'The body must not hold the key __proto__.',
      'The body must not hold the key __proto__.',
      'The body is nested deeper than 32 levels.',
      'The body holds more than 100000 values.',
    ]);
  });

  it('passes all that is JSON and holds no key twice', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.integer({ min: 1, max: 20 }), (body, size) => {
        fc.pre(!body.includes('__proto__'));
        expect(verdict(body, size)).toBe('passes');
      }),
    );
  });

  it('refuses a flood before the rest of it is here', () => {
    const guard = new JsonGuard();
    const slice = Buffer.from('1,'.repeat(30_000));
    guard.feed(Buffer.from('['));
    let slices = 0;
    expect(() => {
      for (; slices < 100; slices += 1) guard.feed(slice);
    }).toThrow(InvalidRequest);
    expect(slices).toBe(3);
  });
});
