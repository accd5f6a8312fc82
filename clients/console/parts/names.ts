/** Whether each word of a search occurs in an id or a name. Words of a name may be apart, as in `gemini image`. */
export const isFoundBy = (search: string, texts: readonly (string | undefined)[]): boolean => {
  const all = texts.join(' ').toLowerCase();
  return search
    .toLowerCase()
    .trim()
    .split(/\s+/)
    .every((word) => all.includes(word));
};
