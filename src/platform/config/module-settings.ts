import { BadSettings, type Variables, namesIn, readVariables, secretsIn } from './variables';

type Type<T extends object = object> = new () => T;

interface Declared {
  readonly names: ReadonlySet<string>;
  /** The values of the last reading; undefined before the first one. */
  values?: object;
}

const declared = new Map<Type, Declared>();

/**
 * The types of the properties convert the texts, as in Nest's documentation. One difference: the text `false` becomes
 * false.
 */
const readOne = <T extends object>(type: Type<T>, names: ReadonlySet<string>, variables: Variables) => {
  const flags = [...names].filter(
    (name) => Reflect.getMetadata('design:type', type.prototype, name) === Boolean,
  );
  const given = (name: string): string => variables[name] ?? '';
  const problems = flags
    .filter((name) => !['true', 'false', ''].includes(given(name)))
    .map((name) => `${name} must be true or false`);
  const others = readVariables(type, variables, (name) => names.has(name) && !flags.includes(name), {
    isOurs: false,
  });
  for (const name of flags)
    if (given(name) !== '') Object.assign(others.values, { [name]: given(name) === 'true' });
  return { values: Object.freeze(others.values), problems: [...problems, ...others.problems] };
};

/**
 * Declares a module's own variables as a class with class-validator's decorators, and makes the factory for
 * `registerAs`. The service reads and validates them together with all other settings, before anything else starts.
 */
export const settingsFrom = <T extends object>(type: Type<T>): (() => T) => {
  const of: Declared = { names: namesIn(type) };
  declared.set(type, of);
  return () => {
    if (of.values !== undefined) return of.values as T;
    // A test of the module alone has not read the settings.
    const { values, problems } = readOne(type, of.names, process.env);
    if (problems.length > 0) throw new BadSettings(problems);
    return values;
  };
};

export const readModuleSettings = (
  variables: Variables,
  taken: readonly string[],
): { readonly problems: readonly string[]; readonly secrets: readonly string[] } => {
  const read = [...declared].map(([type, of]) => ({ of, ...readOne(type, of.names, variables) }));
  const names = moduleSettingNames();
  const twice = names.filter((name, at) => taken.includes(name) || names.indexOf(name) !== at);
  const problems = [
    ...twice.map((name) => `${name} is declared twice: choose another name for the setting of the module`),
    ...read.flatMap((one) => one.problems),
  ];
  if (problems.length === 0) for (const { of, values } of read) of.values = values;
  return { problems, secrets: read.flatMap(({ values }) => secretsIn(values)) };
};

export const moduleSettingNames = (): readonly string[] =>
  [...declared.values()].flatMap(({ names }) => [...names]);
