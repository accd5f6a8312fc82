const LENGTH_MAX = 100;

/** The number of letters to add, remove or change to turn one word into the other. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
    }
    row = next;
  }
  return row[b.length] ?? 0;
};

/** `16:9` and `1792x1024` as a number; undefined for other words. */
const ratioOf = (word: string): number | undefined => {
  const [, across, down] = /^(\d{1,5})[:x](\d{1,5})$/.exec(word) ?? [];
  return down === undefined || Number(down) === 0 ? undefined : Number(across) / Number(down);
};

const apart = (word: string, offer: string): number => {
  const [ratio, offered] = [ratioOf(word), ratioOf(offer)];
  // With the logarithm, 2:1 and 1:2 have the same distance from 1:1.
  return ratio === undefined || offered === undefined || ratio === 0
    ? distance(word.toLowerCase(), offer.toLowerCase())
    : Math.abs(Math.log(ratio / offered));
};

/** The offer that is nearest to the text in shape or spelling. If several are equally near, it is the first of them. */
export const nearestOf = (text: string, offers: readonly string[]): string | undefined => {
  const word = text.slice(0, LENGTH_MAX);
  const [first] = offers
    .map((offer) => ({ offer, apart: apart(word, offer) }))
    .sort((a, b) => a.apart - b.apart);
  return first?.offer;
};

const within = (lettersMax: number, word: string, offers: readonly string[]): string | undefined => {
  // A word whose length differs by more is never near enough. Without it, a long list would take milliseconds.
  const near = offers.filter((offer) => Math.abs(offer.length - word.length) <= lettersMax);
  const offer = nearestOf(word, near);
  return offer !== undefined && distance(word.toLowerCase(), offer.toLowerCase()) <= lettersMax
    ? offer
    : undefined;
};

/** The nearest offer; undefined if most of its letters differ. */
export const similarTo = (word: string, offers: readonly string[]): string | undefined =>
  within(word.length / 2, word, offers);

/** The nearest offer, for words that must not be confused. One of five letters may be wrong, and at most two. */
export const slipOf = (word: string, offers: readonly string[]): string | undefined =>
  within(Math.min(2, word.length / 5), word, offers);
