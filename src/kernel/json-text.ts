const texts = new WeakMap<object, string>();

/** Keeps the JSON of an object that never changes, for `jsonText`. */
export const keepText = <Value extends object>(value: Value): Value => {
  texts.set(value, JSON.stringify(value));
  return value;
};

/** The JSON of an object. The text of a field whose object was kept is not made again. */
export const jsonText = (value: object): string => {
  const fields = Object.values(value);
  if (!fields.some((field) => texts.has(field as object))) return JSON.stringify(value);
  const parts = Object.entries(value).flatMap(([name, field]: [string, unknown]) => {
    const text = texts.get(field as object) ?? JSON.stringify(field);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${parts.join(',')}}`;
};
