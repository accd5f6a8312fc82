import { getOrMake, groupBy } from './maps';

describe('getOrMake', () => {
  it('makes the value of a key once', () => {
    const map = new Map<string, object>();
    const first = getOrMake(map, 'a', () => ({}));

    expect(getOrMake(map, 'a', () => ({}))).toBe(first);
    expect(getOrMake(map, 'b', () => ({}))).not.toBe(first);
    expect(map.size).toBe(2);
  });

  it('adds nothing if the value cannot be made', () => {
    const map = new WeakMap<object, string>();
    const key = {};
    const fail = (): never => {
      throw new Error('cannot be made');
    };

    expect(() => getOrMake(map, key, fail)).toThrow('cannot be made');
    expect(map.has(key)).toBe(false);
  });
});

describe('groupBy', () => {
  it('keeps the order of the items and of the first of each key', () => {
    const groups = groupBy(['b1', 'a1', 'b2'], (text) => text.charAt(0));

    expect([...groups]).toEqual([
      ['b', ['b1', 'b2']],
      ['a', ['a1']],
    ]);
  });
});
