import type { Setting } from './setting';

/** An outside party in the settings: its variables, and the variable that enables it. */
export interface Party {
  readonly name: string;
  readonly settings: Readonly<Record<string, Setting>>;
  /** The variable that enables the party. Only a sandbox party has none: it is enabled while no real party is. */
  readonly enabledBy: string | undefined;
  /** Whether it can screen content. If so, its name is a value of `POLICY`. */
  readonly screens: boolean;
}

/** A kind of which there may be several parties. A variable lists their names, and each party has its own variables. */
export interface PartyKind {
  readonly name: string;
  readonly listedIn: Setting<readonly string[]>;
  one(name: string): Party;
}

export interface PartySettings {
  readonly name: string;
  /** The entry in the list of parties: its own name, or the name of its kind. */
  readonly kind: string;
  readonly enabledBy: string | undefined;
  readonly isOn: boolean;
  readonly screens: boolean;
  /** The values of its variables, under the names that its adapter uses. */
  readonly access: Readonly<Record<string, unknown>>;
}

interface Entry {
  readonly kind: string;
  readonly party: Party;
}

export interface ReadParties {
  readonly parties: readonly PartySettings[];
  readonly names: readonly string[];
  readonly secretNames: readonly string[];
  readonly secrets: readonly string[];
  readonly problems: readonly string[];
}

type Variables = Readonly<Record<string, string | undefined>>;

const isKind = (entry: Party | PartyKind): entry is PartyKind => 'listedIn' in entry;

/** An empty variable counts as unset, because the author of `NAME=` in a file means that. */
const valueOf = (variables: Variables, { name, default: standard }: Setting): string | undefined => {
  const value = variables[name];
  return value === undefined || value === '' ? standard : value;
};

const problemOf = (variables: Variables, setting: Setting): string[] => {
  const text = valueOf(variables, setting);
  if (text === undefined) return setting.isNeeded === true ? [`${setting.name} is required`] : [];
  return setting.read(text) === undefined ? [`${setting.name} must be ${setting.rule}`] : [];
};

const read = <T>(variables: Variables, setting: Setting<T>): T | undefined => {
  const text = valueOf(variables, setting);
  return text === undefined ? undefined : setting.read(text);
};

/** Every party. A kind contributes one party for each name in its list. */
const entriesOf = (
  list: readonly (Party | PartyKind)[],
  named: (kind: PartyKind) => readonly string[],
): readonly Entry[] =>
  list.flatMap((entry) =>
    isKind(entry)
      ? named(entry).map((name) => ({ kind: entry.name, party: entry.one(name) }))
      : [{ kind: entry.name, party: entry }],
  );

const settingsOf = (list: readonly (Party | PartyKind)[], entries: readonly Entry[]): readonly Setting[] => [
  ...list.filter(isKind).map(({ listedIn }) => listedIn),
  ...entries.flatMap(({ party }) => Object.values(party.settings)),
];

const twice = (values: readonly string[]): readonly string[] => [
  ...new Set(values.filter((value, at) => values.indexOf(value) !== at)),
];

/** Describes all parties with this name, for an error message. */
const namesakes = (entries: readonly Entry[], name: string): readonly string[] =>
  entries
    .filter(({ party }) => party.name === name)
    .map(({ kind, party: { enabledBy } }) =>
      enabledBy === undefined ? `the one of ${kind}` : `the one of ${kind} that ${enabledBy} switches on`,
    );

/** The problems of names: two parties with one name, or a variable of two parties. */
const clashesIn = (entries: readonly Entry[], names: readonly string[]): string[] => [
  ...twice(entries.map(({ party }) => party.name)).map(
    (name) => `${name} names two providers: ${namesakes(entries, name).join(' and ')}`,
  ),
  ...twice(names).map((name) => `${name} would be a setting of two servers; choose other names`),
];

/** Reads the parties of a list from the environment. Sandbox parties are enabled only while no real party is. */
export const readParties = (
  list: readonly (Party | PartyKind)[],
  variables: Variables,
  taken: readonly string[],
): ReadParties => {
  const entries = entriesOf(list, ({ listedIn }) => read(variables, listedIn) ?? []);
  const settings = settingsOf(list, entries);
  const names = settings.map(({ name }) => name);
  const secrets = settings.filter(({ isSecret }) => isSecret === true);
  const isReal = ({ party: { enabledBy } }: Entry): boolean =>
    enabledBy !== undefined && (variables[enabledBy] ?? '') !== '';
  const anyReal = entries.some(isReal);
  const parties = entries.map((entry) => {
    const { name, enabledBy, screens, settings: own } = entry.party;
    const access = Object.fromEntries(
      Object.entries(own).map(([field, setting]) => [field, read(variables, setting)]),
    );
    const isOn = enabledBy === undefined ? !anyReal : isReal(entry);
    return { name, kind: entry.kind, enabledBy, isOn, screens, access };
  });
  return {
    parties,
    names,
    secretNames: secrets.map(({ name }) => name),
    secrets: secrets.flatMap((setting) => valueOf(variables, setting) ?? []),
    problems: [
      ...settings.flatMap((setting) => problemOf(variables, setting)),
      ...twice(list.filter(isKind).map(({ name }) => name)).map(
        (name) => `two kinds of servers are named ${name}`,
      ),
      ...clashesIn(entries, [...taken, ...names]),
    ],
  };
};

/** The lines of `.env.example` for the parties of a list. */
export const exampleLines = (list: readonly (Party | PartyKind)[]): readonly string[] =>
  list.flatMap((entry) => {
    const settings = isKind(entry) ? [entry.listedIn] : Object.values(entry.settings);
    return settings.flatMap(({ name, about, default: standard = '' }) => [
      ...about.map((line) => `# ${line}`),
      `#${name}=${standard}`,
    ]);
  });
