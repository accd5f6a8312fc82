const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + cost));
    }
    row = next;
  }
  return row[b.length]!;
};

/**
 * The number of wrong letters. It is 1 if one name is the beginning or the end of the other, such as `key` and
 * `apiKey`.
 */
const farOf = (asked: string, one: string): number => {
  const isPart = one.startsWith(asked) || (one.length > 2 && asked.endsWith(one));
  return isPart ? 1 : distance(asked, one);
};

/** The known name that the caller probably meant. */
export const nearestOf = (name: string, known: readonly string[]): string | undefined => {
  const [best] = known
    .map((one) => ({ one, far: farOf(name.toLowerCase(), one.toLowerCase()) }))
    .filter(({ one, far }) => far <= Math.max(2, Math.floor(one.length / 3)))
    .toSorted((a, b) => a.far - b.far);
  return best?.one;
};

/** Throws for an unknown name, because a misspelt limit would have no effect. */
export const refuseUnknown = (options: object, known: readonly string[], where: string): void => {
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const meant = nearestOf(name, known);
    const hint = meant === undefined ? `It takes ${known.join(', ')}.` : `Did you mean ${meant}?`;
    throw new TypeError(`${where} takes no option ${JSON.stringify(name)}. ${hint}`);
  }
};
