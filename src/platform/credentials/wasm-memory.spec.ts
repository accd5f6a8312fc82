import { readFileSync } from 'node:fs';

import { withMemoryMax } from './wasm-memory';

interface Memory {
  grow(pages: number): number;
}
const { WebAssembly: engine } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Instance: new (module: object) => { readonly exports: { readonly memory: Memory } };
  };
};

const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const EXPORT = [7, 10, 1, 6, ...Buffer.from('memory'), 2, 0];
const moduleOf = (memory: readonly number[]): Buffer =>
  Buffer.from([...HEADER, 5, memory.length, ...memory, ...EXPORT]);
const memoryOf = (module: Buffer): Memory => new engine.Instance(new engine.Module(module)).exports.memory;

describe('the memory of a module', () => {
  it.each<[string, readonly number[]]>([
    ['without a maximum', [1, 0, 2]],
    ['with a higher one', [1, 1, 2, 0x80, 0x80, 2]],
  ])('%s grows to the limit and no further', (_, section) => {
    const memory = memoryOf(withMemoryMax(moduleOf(section), 300));

    expect(memory.grow(298)).toBe(2);
    expect(() => memory.grow(1)).toThrow(RangeError);
    expect(memoryOf(moduleOf(section)).grow(299)).toBe(2);
  });

  it.each<[string, Buffer]>([
    ['starts above the limit', moduleOf([1, 0, 0xad, 2])],
    ['has two memories', moduleOf([2, 0, 1, 0, 1])],
    ['has none', Buffer.from(HEADER)],
  ])('is no memory of a library where it %s', (_, module) => {
    expect(() => withMemoryMax(module, 300)).toThrow(/memory/);
  });

  it('of the library of C2PA is limited, and all else of it is unchanged', () => {
    const library = readFileSync(require.resolve('@contentauth/c2pa-wasm/c2pa.wasm'));

    const limited = withMemoryMax(library, 4_096);

    expect(limited.length - library.length).toBe(2);
    expect(limited.subarray(-1_000).equals(library.subarray(-1_000))).toBe(true);
    expect(() => new engine.Module(limited)).not.toThrow();
  });
});
