/** The first two items of a list with the same key. An item without a key has no duplicate. */
export const firstDuplicates = <T>(
  all: readonly T[],
  keyOf: (one: T) => string | undefined,
): readonly [T, T] | undefined => {
  const known = new Map<string, T>();
  for (const one of all) {
    const key = keyOf(one);
    if (key === undefined) continue;
    const other = known.get(key);
    if (other !== undefined) return [other, one];
    known.set(key, one);
  }
  return undefined;
};
