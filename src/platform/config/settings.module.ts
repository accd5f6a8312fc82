import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule, registerAs } from '@nestjs/config';

import { Clock, SystemClock } from '#kernel/clock';
import { PublishedKeys } from './published-keys';
import { SigningKeys } from './signing-keys';
import { SETTINGS } from './settings';

/**
 * The settings, the clock and the keys, for every module. It is the only global module, because nearly every module
 * needs these facts about the process.
 */
@Module({})
export class SettingsModule {
  static with(settings: object): DynamicModule {
    return SettingsModule.reading(() => settings);
  }

  /** Takes a function, because the settings are read only when the application is created. */
  static reading(settings: () => object): DynamicModule {
    return {
      module: SettingsModule,
      global: true,
      imports: [configuration(settings)],
      providers: [
        { provide: SETTINGS, useFactory: settings },
        { provide: Clock, useClass: SystemClock },
        PublishedKeys,
        SigningKeys,
      ],
      exports: [SETTINGS, Clock, PublishedKeys, SigningKeys],
    };
  }
}

/**
 * The settings as the configuration `lamppost`. It is made from SETTINGS, so a test that overrides SETTINGS overrides
 * this as well.
 */
const configuration = async (settings: () => object): Promise<DynamicModule> => {
  const service = registerAs('lamppost', () => settings());
  const module = await ConfigModule.forRoot({ isGlobal: true, ignoreEnvFile: true, load: [service] });
  const providers = module.providers?.map((provider) =>
    'provide' in provider && provider.provide === service.KEY
      ? { provide: service.KEY, useExisting: SETTINGS }
      : provider,
  );
  return { ...module, providers };
};
