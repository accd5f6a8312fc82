/**
 * The least entropy of a secret's letters. The measure uses only the letters of the secret itself. A secret of 16
 * random bytes in base64 (128 bits) gets 91 bits on average, because 22 letters can't show more. One of 20 million such
 * secrets gets less than this limit. A text of all hex digits, each once, gets 64.
 */
const BITS_MIN = 68;
const WORDS = /secret|passw|token|changeme|change-me|example|lamppost|admin|test|default|qwerty|12345/i;

const bitsOf = (text: string): number => {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - count * Math.log2(count / text.length), 0);
};

/** The reason why a secret is easy to guess; undefined if there is none. */
export const weaknessOf = (secret: string): string | undefined => {
  if (WORDS.test(secret)) return 'has a word in it that everybody tries';
  return bitsOf(secret) < BITS_MIN ? 'is short, or repeats itself' : undefined;
};
