interface Named {
  readonly id: string;
  readonly name: string;
}

/** Whether each word of a search occurs in an id or a name. Words of a name may be apart, as in `gemini image`. */
export const isFoundBy = (search: string, texts: readonly (string | undefined)[]): boolean => {
  const all = texts.join(' ').toLowerCase();
  return search
    .toLowerCase()
    .trim()
    .split(/\s+/)
    .every((word) => all.includes(word));
};

/** The name of each model in a list. Models of the same name also have their ids. */
export const labelsOf = (models: readonly Named[]): ((model: Named) => string) => {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { name } of models) (seen.has(name) ? repeated : seen).add(name);
  return ({ id, name }) => (repeated.has(name) ? `${name} · ${id}` : name);
};
