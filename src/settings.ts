import { existsSync } from 'node:fs';

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

/** The names of all settings, with those of the servers that `variables` lists. */
export const settingNames = (variables: Variables = {}): readonly string[] => namesOf(VENDORS, variables);
