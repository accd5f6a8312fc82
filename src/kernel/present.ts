/** Absence has one shape in this code, undefined. Databases and libraries say null. */
export const present = <T>(value: T | null | undefined): T | undefined => value ?? undefined;

/** What `make` makes of a value that is there. */
export const ifPresent = <T, Made>(value: T | undefined, make: (value: T) => Made): Made | undefined =>
  value === undefined ? undefined : make(value);

/** For whoever takes what is there and undefined for something: headers, compilers of schemas, readers of keys. */
export const withoutAbsent = <T extends object>(
  fields: T,
): { [Name in keyof T]: Exclude<T[Name], undefined> } => {
  const there: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) there[name] = value;
  }
  return there as never;
};
