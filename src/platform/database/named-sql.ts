/** The text of a statement and its values in order, as the arguments of `Queries.rows` and `Queries.one`. */
type Statement = readonly [text: string, values: readonly unknown[]];

/** A name after a colon. `::` is a cast, and a colon after a letter or a digit is part of a text such as `HH24:MI`. */
const NAME = /(?<![:\w]):([a-zA-Z]\w*)/g;

/**
 * A statement with named values: `:name` instead of `$1`. The names become numbers once, when the file is loaded. Each
 * call must give every value, which may be undefined.
 */
export const named = (sql: string): ((values: Readonly<Record<string, unknown>>) => Statement) => {
  if (/\$\d/.test(sql)) throw new Error('A statement has named values or numbered ones, and not both.');
  const names: string[] = [];
  const text = sql.replaceAll(NAME, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return (values) => {
    if (Object.keys(values).length !== names.length)
      throw new Error(`The statement has the values ${names.join(', ')}.`);
    return [
      text,
      names.map((name) => {
        if (!(name in values)) throw new Error(`The statement needs the value ${name}.`);
        return values[name];
      }),
    ];
  };
};
