import { Logger, type Type } from '@nestjs/common';

import type { PartySettings } from '#platform/config/party';
import { Providers } from '#models/providers/providers';
import { HeldResults } from '#models/providers/media/held-result.repository';
import { vendorOf } from '#models/providers/vendors';
import { type Settings, readSettings } from '../../src/settings';
import { HeldInMemory } from './held-in-memory';

/** Pictures are kept in memory. Other objects have no dependencies, because lists and single calls do not need them. */
const partOf = <T>(type: Type<T>): T =>
  ((type as unknown) === HeldResults ? new HeldInMemory() : Object.create(type.prototype as object)) as T;

/** The vendors whose keys the settings have. The tools print failures themselves, so nothing else logs them. */
export const realVendors = (
  env: Readonly<Record<string, string | undefined>>,
): {
  readonly settings: Settings;
  readonly vendors: readonly PartySettings[];
  readonly providers: Providers;
} => {
  Logger.overrideLogger(false);
  const settings = readSettings({
    DATABASE_URL: 'postgres://127.0.0.1/none',
    SIGNING_SECRET: 'a-secret-that-lives-as-long-as-this-run',
    ALLOW_SANDBOX_MIX: 'true',
    ...env,
  });
  const vendors = settings.providers.filter((own) => own.isOn && own.enabledBy !== undefined);
  const providers = new Providers(
    new Map(vendors.map((own) => [own.name, vendorOf(own).adapters(own, partOf)])),
  );
  return { settings, vendors, providers };
};
