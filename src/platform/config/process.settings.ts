import { Choice, Text } from './variables';
import { type SettingsOf, defineSettings } from './settings';

export class ProcessVariables {
  /** The service reads this setting first, and only from the environment. */
  @Text() readonly SETTINGS_FILE: string = '.env';
  @Choice('development', 'production', 'test') readonly NODE_ENV: string = 'development';
  @Choice('all', 'api', 'worker') readonly ROLE: string = 'all';
}

export const processSettings = defineSettings({
  variables: ProcessVariables,
  read: (env: ProcessVariables) => ({
    mode: env.NODE_ENV as 'development' | 'production' | 'test',
    role: env.ROLE as 'all' | 'api' | 'worker',
  }),
});

export type ProcessSettings = SettingsOf<typeof processSettings>;
