import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

import { similarTo } from './kernel/nearest';
import { type Settings, composeSettings, namesOf } from './platform/config/settings';
import { VENDORS } from './providers/vendors';

type Variables = Readonly<Record<string, string | undefined>>;

/** Everything an operator can set: the service's own settings and those that its vendors bring along. */
export const readSettings = (variables: Variables): Settings => composeSettings(variables, VENDORS);

/** Those of this process: its environment, and what a `.env` beside it says. Nothing else reads either. */
export const settingsOfProcess = (): Settings => {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return readSettings(process.env);
};

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
  const ours = Object.keys(variables).filter((name) => OURS.test(name) && !OF_KUBERNETES.test(name));
  return [...new Set([...ours, ...inFile])].filter(isStrange).map((name) => {
    const meant = similarTo(name, known);
    return `${name} is no setting of this version${meant === undefined ? '' : `; did you mean ${meant}?`}`;
  });
};

/** The same of this process. */
export const strangeSettingsOfProcess = (): readonly string[] =>
  strangeSettings(process.env, existsSync('.env') ? Object.keys(parseEnv(readFileSync('.env', 'utf8'))) : []);

/** The names of all settings, with those of the servers that `variables` lists. */
export const settingNames = (variables: Variables = {}): readonly string[] => namesOf(VENDORS, variables);
