import { openBox, sealBox } from './sealed-box';

const KEY = Buffer.alloc(32, 1);
const TEXT = 'Grüße 🦊, costMicro';

describe('a sealed box', () => {
  const sealed = sealBox(KEY, TEXT);

  it('opens with its own key, and with no other', () => {
    const other = Buffer.alloc(32, 2);

    for (const keys of [[KEY], [other, KEY], [KEY, other]] as const) expect(openBox(keys, sealed)).toBe(TEXT);
    expect(() => openBox([other, other], sealed)).toThrow(/authenticate data/);
  });

  it('stays shut when one bit of it is changed, wherever', () => {
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => openBox([KEY], changed)).toThrow(/authenticate data/);
    }
  });

  it('reads nothing, and never looks the same twice', () => {
    expect(sealed.includes('costMicro')).toBe(false);
    expect(sealBox(KEY, TEXT).equals(sealed)).toBe(false);
    expect(sealed).toHaveLength(12 + 16 + Buffer.byteLength(TEXT));
  });
});
