/** Converts null to undefined. Databases and libraries use null, and this code uses only undefined. */
export const present = <T>(value: T | null | undefined): T | undefined => value ?? undefined;

/** The result of `make` if there is a value. */
export const ifPresent = <T, Made>(value: T | undefined, make: (value: T) => Made): Made | undefined =>
  value === undefined ? undefined : make(value);

/** Removes fields that are undefined, for functions that treat a field with undefined as present. */
export const withoutAbsent = <T extends object>(
  fields: T,
): { [Name in keyof T]: Exclude<T[Name], undefined> } => {
  const there: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) there[name] = value;
  }
  return there as never;
};
