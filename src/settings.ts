import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

import {
  type CommonSettings,
  type SettingsOf,
  composeSettings,
  liveView,
  namesOf,
  rotatingNamesOf,
} from './platform/config/settings';
import { accountSettings } from './people/accounts/accounts.settings';
import { transparencySettings } from './money/billing/transparency/transparency.settings';
import { batchSettings } from './work/batches/batches.settings';
import { channelSettings } from './money/billing/rails/channel/channel.settings';
import { x402Settings } from './money/billing/rails/x402/x402.settings';
import { catalogSettings } from './models/catalog/catalog.settings';
import { priceSettings } from './models/catalog/prices.settings';
import { chatSettings } from './work/chat/chat.settings';
import { creditsSettings } from './money/credits/credits.settings';
import { discoverySettings } from './faces/discovery/discovery.settings';
import { generationSettings } from './work/generation/generation.settings';
import { adminSettings } from './people/identity/admins.settings';
import { adultsSettings } from './people/identity/adults.settings';
import { sanctionsSettings } from './people/identity/sanctions.settings';
import { jobSettings } from './work/jobs/jobs.settings';
import { networkSettings } from './money/networks/networks.settings';
import { processSettings } from './platform/config/process.settings';
import { sandboxMixSettings } from './platform/config/sandbox-mix.settings';
import { signingSettings } from './platform/config/signing.settings';
import { credentialSettings } from './platform/credentials/credentials.settings';
import { httpSettings } from './platform/http/http.settings';
import { rateLimitSettings } from './platform/http/limits/rate-limits.settings';
import { outgoingSettings } from './platform/http/outgoing/outgoing.settings';
import { mailSettings } from './platform/mail/mail.settings';
import { storageSettings } from './platform/storage/storage.settings';
import { telemetrySettings } from './platform/telemetry/telemetry.settings';
import { embedderSettings } from './models/providers/embedding/embedder.settings';
import { policySettings } from './models/providers/policy/policy.settings';
import { referenceSettings } from './work/references/references.settings';
import { walletSettings } from './money/wallet/wallet.settings';
import { webhookSettings } from './notices/webhooks/webhooks.settings';
import { BadSettings, type Variables } from './platform/config/variables';
import { databaseSettings } from './platform/database/database.settings';
import { VENDORS } from './models/providers/vendors';

/** The settings of all features, in the order of `.env.example`. A feature adds one line. */
export const FEATURES = [
  processSettings,
  httpSettings,
  databaseSettings,
  adminSettings,
  discoverySettings,
  telemetrySettings,
  signingSettings,
  catalogSettings,
  priceSettings,
  batchSettings,
  rateLimitSettings,
  generationSettings,
  chatSettings,
  referenceSettings,
  walletSettings,
  accountSettings,
  webhookSettings,
  jobSettings,
  networkSettings,
  x402Settings,
  channelSettings,
  outgoingSettings,
  storageSettings,
  policySettings,
  adultsSettings,
  embedderSettings,
  creditsSettings,
  mailSettings,
  sanctionsSettings,
  transparencySettings,
  credentialSettings,
  sandboxMixSettings,
] as const;

type Joined<T> = (T extends unknown ? (part: T) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** Everything that an operator can set, validated and frozen. No other code reads the environment. */
export type Settings = Joined<SettingsOf<(typeof FEATURES)[number]>> & CommonSettings;

/** Every setting: those of the features and of the vendors. */
export const readSettings = (variables: Variables): Settings =>
  composeSettings(FEATURES, VENDORS, variables) as Settings;

/** The settings of a running process; see `liveView`. */
export const viewOf = (now: () => Settings, known: Partial<Settings>): Settings =>
  liveView(FEATURES, now, known);

/** The present variables of the settings file. The file may be missing, except if the environment names it. */
export const variablesOfFile = (): Variables => {
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
 * The variables of this process, from its environment and the file. No other code reads them. Values of the file are
 * not copied into the environment, because they would stay there after the file has changed.
 */
export const variablesOfProcess = (): Variables => ({ ...variablesOfFile(), ...process.env });

/** Makes an option of the command line count as a variable of the environment. */
export const setVariableOfProcess = (name: string, value: string): void => {
  process.env[name] = value;
};

export const settingsOfProcess = (): Settings => readSettings(variablesOfProcess());

/** The names of all settings, including those of the servers that `variables` lists. */
export const settingNames = (variables: Variables = {}): readonly string[] =>
  namesOf(FEATURES, VENDORS, variables);

/** The names of the secrets that may change while the process runs. */
export const rotatingNames = (variables: Variables): readonly string[] =>
  rotatingNamesOf(FEATURES, VENDORS, variables);
