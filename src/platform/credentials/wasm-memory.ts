/** The magic number and the version of a WebAssembly module. */
const HEADER_BYTES = 8;
const MEMORY_SECTION = 5;
const HAS_MAX = 1;

/** Reads an unsigned LEB128 number at an offset, and returns the number with the offset after it. */
const numberAt = (bytes: Uint8Array, start: number): readonly [number, number] => {
  let value = 0;
  for (let at = start, scale = 1; ; at += 1, scale *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte % 128) * scale;
    if (byte < 128) return [value, at + 1];
  }
};

const leb128 = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...leb128(Math.floor(value / 128))];

/**
 * Limits the one memory of a WebAssembly module to `pages` of 64 KB. A module without a maximum may take 4 GB, and no
 * setting of the engine limits it.
 */
export const withMemoryMax = (module: Uint8Array, pages: number): Buffer => {
  for (let at = HEADER_BYTES; at < module.length;) {
    const [length, content] = numberAt(module, at + 1);
    if (module[at] === MEMORY_SECTION) {
      const [count, flags] = numberAt(module, content);
      const [least] = numberAt(module, flags + 1);
      if (count !== 1 || least > pages) throw new Error('The module has another memory than expected.');
      const section = [1, HAS_MAX, ...leb128(least), ...leb128(pages)];
      return Buffer.concat([
        module.subarray(0, at + 1),
        Buffer.from([...leb128(section.length), ...section]),
        module.subarray(content + length),
      ]);
    }
    at = content + length;
  }
  throw new Error('The module declares no memory.');
};
