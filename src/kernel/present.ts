/** In this code, undefined is the only form of absence. Databases and libraries use null. */
export const present = <T>(value: T | null | undefined): T | undefined => value ?? undefined;

/** The result of `make` for a present value. */
export const ifPresent = <T, Made>(value: T | undefined, make: (value: T) => Made): Made | undefined =>
  value === undefined ? undefined : make(value);

/** For functions that read undefined as a value: headers, compilers of schemas, readers of keys. */
export const withoutAbsent = <T extends object>(
  fields: T,
): { [Name in keyof T]: Exclude<T[Name], undefined> } => {
  const there: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) there[name] = value;
  }
  return there as never;
};
