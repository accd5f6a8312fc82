import { moduleSettingNames, readModuleSettings } from './module-settings';
import { type Party, type PartyKind, type PartySettings, readParties } from './party';
import {
  BadSettings,
  type Variables,
  changedBy,
  isRotating,
  namesIn,
  readVariables,
  secretsIn,
} from './variables';

/** The injection token of the one settings object. A class names the parts that it reads by their types. */
export const SETTINGS = Symbol('SETTINGS');

/** Facts from outside the feature, for its rules. */
export interface Outside {
  /** All parties that run models, including disabled ones. */
  readonly parties: readonly PartySettings[];
  /** The settings by which parts of the service take no real money. */
  readonly freeOfMoney: readonly string[];
}

/**
 * The settings of one feature: its variables, and what the feature makes of them. A function gets the valid variables
 * of all features; `Env` names the classes of those that it reads.
 */
export interface FeatureSettings<Env extends object = object, Made extends object = object> {
  /** A class whose properties are the variables, with their rules and defaults. */
  readonly variables: new () => object;
  /** The part that code gets. Features may share an object such as `limits`; each adds its own fields. */
  read(env: Env): Made;
  /** The rules across variables: a sentence for each broken one. They run after all variables are valid. */
  problems?(env: Env, outside: Outside): readonly string[];
  /** More values that no log line may contain; secret variables are known without it. */
  secrets?(env: Env): readonly string[];
  /** The settings by which this feature takes no real money, as `NAME=value`. */
  freeOfMoney?(env: Env): readonly string[];
}

/** Declares the settings of a feature. `src/settings.ts` lists the declarations. */
export const defineSettings = <Env extends object, Made extends object>(
  settings: FeatureSettings<Env, Made>,
): FeatureSettings<Env, Made> => settings;

/** The problem of each variable that is missing although another setting needs it. */
export const needs = <Env extends object>(
  env: Env,
  when: boolean,
  reason: string,
  ...names: readonly (keyof Env & string)[]
): readonly string[] =>
  when ? names.filter((name) => env[name] === undefined).map((name) => `${name} is required ${reason}`) : [];

/** The part of the settings that a feature makes. */
export type SettingsOf<T extends FeatureSettings> = ReturnType<T['read']>;

/** The settings that no feature declares. */
export interface CommonSettings {
  /** All parties that run models, including disabled ones. */
  readonly providers: readonly PartySettings[];
  /** The values that no log line may contain. */
  readonly secrets: readonly string[];
}

type Features = readonly FeatureSettings[];

const namesOfFeatures = (features: Features): readonly string[] =>
  features.flatMap(({ variables }) => [...namesIn(variables)]);

const deepFreeze = <T extends object>(value: T): T => {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null) deepFreeze(part as object);
  }
  return Object.freeze(value);
};

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Joins the parts of the features. Two features may add fields to one object. */
const joined = (parts: readonly object[]): object => {
  const all: Record<string, unknown> = {};
  for (const [name, value] of parts.flatMap((part) => Object.entries(part) as [string, unknown][])) {
    const present = all[name];
    all[name] = isRecord(present) && isRecord(value) ? { ...present, ...value } : value;
  }
  return all;
};

const refuse = (problems: readonly string[]): void => {
  if (problems.length > 0) throw new BadSettings(problems);
};

const readFeature = ({ variables: type }: FeatureSettings, variables: Variables) => {
  const names = namesIn(type);
  return readVariables(type, variables, (name) => names.has(name));
};

/** Reads and validates the whole environment at once, so that an operator sees every problem together. */
export const composeSettings = (
  features: Features,
  providers: readonly (Party | PartyKind)[],
  variables: Variables,
): CommonSettings => {
  const names = namesOfFeatures(features);
  const read = features.map((feature) => readFeature(feature, variables));
  const { parties, ...ofParties } = readParties(providers, variables, names);
  const modules = readModuleSettings(variables, [...names, ...ofParties.names]);
  refuse([...read.flatMap(({ problems }) => problems), ...ofParties.problems, ...modules.problems]);

  const env = Object.assign({}, ...read.map(({ values }) => values)) as object;
  const freeOfMoney = features.flatMap((feature) => feature.freeOfMoney?.(env) ?? []);
  refuse(features.flatMap((feature) => feature.problems?.(env, { parties, freeOfMoney }) ?? []));

  const secrets = features.flatMap((feature) => feature.secrets?.(env) ?? []);
  const common: CommonSettings = {
    providers: parties,
    secrets: [...secretsIn(env), ...secrets, ...ofParties.secrets, ...modules.secrets],
  };
  return deepFreeze({ ...joined(features.map((feature) => feature.read(env))), ...common });
};

/** The settings of one feature alone, for a command that must get no secret of the others. */
export const composeOne = <Env extends object, Made extends object>(
  feature: FeatureSettings<Env, Made>,
  variables: Variables,
): Made => {
  const { values, problems } = readFeature(feature, variables);
  refuse(problems);
  refuse(feature.problems?.(values as Env, { parties: [], freeOfMoney: [] }) ?? []);
  return feature.read(values as Env);
};

/** The names of all settings, including those of the servers that `variables` lists. */
export const namesOf = (
  features: Features,
  providers: readonly (Party | PartyKind)[],
  variables: Variables = {},
): readonly string[] => [
  ...namesOfFeatures(features),
  ...readParties(providers, variables, []).names,
  ...moduleSettingNames(),
];

/** Settings that may change while the service runs: the service reads them at each use. */
export const rotatingNamesOf = (
  features: Features,
  providers: readonly (Party | PartyKind)[],
  variables: Variables,
): readonly string[] => [
  ...namesOfFeatures(features).filter(isRotating),
  ...readParties(providers, variables, []).secretNames,
];

type Path = readonly string[];

/** A copy of an object whose fields at the paths are read again at each access. */
const liveCopy = <T extends object>(of: () => T, paths: readonly Path[], known: Partial<T> = {}): T => {
  const copy = { ...of(), ...known };
  for (const field of new Set(paths.map(([first]) => first as keyof T & string))) {
    if (!(field in copy)) throw new Error(`The settings have no field ${field} that could change.`);
    const inside = paths.filter(([first]) => first === field).map(([, ...rest]) => rest);
    const get = (): unknown => of()[field];
    if (inside.some(({ length }) => length === 0))
      Object.defineProperty(copy, field, { enumerable: true, get });
    else copy[field] = liveCopy(get as () => object, inside) as T[typeof field];
  }
  return Object.freeze(copy);
};

/**
 * The settings. The fields of rotating variables are read from `of` at each access. Code must not copy them
 * (`{ ...settings }`), because a copy keeps the old values. `known` replaces fields.
 */
export const liveView = <T extends CommonSettings>(features: Features, of: () => T, known: Partial<T>): T => {
  const live = ['secrets', ...namesOfFeatures(features).flatMap(changedBy)].map((path) => path.split('.'));
  const providers = of().providers.map((provider, at) => {
    const access = (): PartySettings['access'] => of().providers[at]!.access;
    return {
      ...provider,
      access: liveCopy(
        access,
        Object.keys(access()).map((field) => [field]),
      ),
    };
  });
  return liveCopy(of, live, { ...known, providers });
};
