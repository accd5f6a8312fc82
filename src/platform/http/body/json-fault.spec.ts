import fc from 'fast-check';

import { faultPosition } from './json-fault';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('where a text stops being JSON', () => {
  it.each([
    ['{"a": hunter2}', 6],
    ['{"a": 1', 7],
    ['{"a" 1}', 5],
    ["{'a': 1}", 1],
    ['{"a": 01}', 7],
    ['{"a": 1,}', 8],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['[,]', 1],
    ['{"a": "x\\q"}', 9],
    ['{"a": "\\u12g4"}', 8],
    ['{"a": "line\nbreak"}', 11],
    ['{"a": -}', 6],
    ['{"a": 1}}', 8],
    ['[1}', 2],
    ['"open', 5],
    ['', 0],
    ['nul', 0],
    ['{} x', 3],
  ])('is found in %j', (text, position) => {
    expect(faultPosition(text)).toBe(position);
  });

  it('is its end for every text that is JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(faultPosition(text)).toBe(text.length);
      }),
    );
  });

  it('is within the text, and the text before it is valid', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ minLength: 1, maxLength: 2 }), (json, place, noise) => {
        const at = place % (json.length + 1);
        const text = json.slice(0, at) + noise + json.slice(at);
        fc.pre(!isJson(text));
        const fault = faultPosition(text);
        expect(fault).toBeLessThanOrEqual(text.length);
        expect(fault).toBeGreaterThanOrEqual(at - 1 - lastTokenLength(json, at));
      }),
    );
  });
});

/** The parser reports a wrong number or word at its beginning, which may be before the changed character. */
const lastTokenLength = (json: string, at: number): number =>
  /[\w.+-]*$/.exec(json.slice(0, at))?.[0].length ?? 0;
