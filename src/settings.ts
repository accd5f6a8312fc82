import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

import { similarTo, slipOf } from './kernel/nearest';
import { type Settings, composeSettings, namesOf, rotatingNamesOf } from './platform/config/settings';
import { BadSettings, type Variables } from './platform/config/variables';
import { VENDORS } from './providers/vendors';

/** Everything an operator can set: the service's own settings and those that its vendors bring along. */
export const readSettings = (variables: Variables): Settings => composeSettings(variables, VENDORS);

/** What the file of the settings says, as it is now. None is needed, unless the environment names one. */
const variablesOfFile = (): Variables => {
  const named = process.env['SETTINGS_FILE'] ?? '';
  try {
    return parseEnv(readFileSync(named === '' ? '.env' : named, 'utf8'));
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    if (named === '' && code === 'ENOENT') return {};
    throw new BadSettings([
      `${named === '' ? '.env' : 'SETTINGS_FILE'} must be a file that can be read (${code})`,
    ]);
  }
};

/**
 * Those of this process: its environment, and what the file says beside it. Nothing else reads either, and what was read in
 * the file is not put into the environment, where it would outlive the next look at the file.
 */
export const variablesOfProcess = (): Variables => ({ ...variablesOfFile(), ...process.env });

export const settingsOfProcess = (): Settings => readSettings(variablesOfProcess());

/** Families of names that nobody else's variables have. */
const OURS = /^(X402|RATE_LIMIT|PRICE|EMBEDDER|POLICY|SANCTIONED|MEDIA|JOB|SIGNING|METRICS|BLOB|FETCH)_/;
/** What Kubernetes sets for each service of its own, whatever that is called. */
const OF_KUBERNETES = /_(SERVICE_(HOST|PORT)|PORT)(_\w+)?$/;

/**
 * Names of ours that this version does not know, each as a sentence: those of another version, and slips of the pen. Without a
 * word, a limit that is spelled wrongly would be a limit that does not hold.
 */
export const strangeSettings = (variables: Variables, inFile: readonly string[] = []): readonly string[] => {
  const known = settingNames(variables);
  const isStrange = (name: string): boolean => !known.includes(name);
  // Who has set the one that was meant has the other for something else; words like HOME are too short to be slips.
  const isSlip = (name: string): boolean => {
    const meant = name.includes('_') ? slipOf(name, known) : undefined;
    return meant !== undefined && (variables[meant] ?? '') === '';
  };
  const ours = Object.keys(variables).filter(
    (name) => (OURS.test(name) || isSlip(name)) && !OF_KUBERNETES.test(name),
  );
  return [...new Set([...ours, ...inFile])].filter(isStrange).map((name) => {
    const meant = similarTo(name, known);
    return `${name} is no setting of this version${meant === undefined ? '' : `; did you mean ${meant}?`}`;
  });
};

/** The same of this process. */
export const strangeSettingsOfProcess = (): readonly string[] =>
  strangeSettings(variablesOfProcess(), Object.keys(variablesOfFile()));

/** The names of all settings, with those of the servers that `variables` lists. */
export const settingNames = (variables: Variables = {}): readonly string[] => namesOf(VENDORS, variables);

/** The names of those secrets that may change while the process runs. */
export const rotatingNames = (variables: Variables): readonly string[] => rotatingNamesOf(VENDORS, variables);
