import type { Settings } from './platform/config/settings';
import type { Variables } from './platform/config/variables';
import { readSettings, rotatingNames, settingNames } from './settings';

/** The names of the changed settings. */
interface Change {
  readonly taken: readonly string[];
  /** The changed settings that need a restart. */
  readonly waiting: readonly string[];
}

/** An object that reads each field again at each access. */
const live = <T extends object>(of: () => T): T =>
  Object.defineProperties(
    {},
    Object.fromEntries(
      (Object.keys(of()) as (keyof T)[]).map((field) => [
        field,
        { enumerable: true, get: () => of()[field] },
      ]),
    ),
  ) as T;

/**
 * The settings of a running process. Vendors' keys, operators' tokens and similar settings may change while the process
 * runs. The others need a restart.
 */
export class LiveSettings {
  private now: Settings;
  /**
   * The secrets that the log hides. They include earlier ones, because a party may repeat an earlier secret in its
   * answers.
   */
  private secrets: readonly string[];

  constructor(private variables: Variables) {
    this.now = readSettings(variables);
    this.secrets = this.now.secrets;
  }

  /**
   * The settings for the whole service. Code reads changing values through this object at each use; a copy (`{
   * ...settings }`) would keep the old values.
   */
  view(known: Partial<Settings> = {}): Settings {
    const now = (): Settings => this.now;
    const secrets = (): readonly string[] => this.secrets;
    return Object.freeze({
      ...this.now,
      ...known,
      get admins() {
        return now().admins;
      },
      get metricsToken() {
        return now().metricsToken;
      },
      get secrets() {
        return secrets();
      },
      get adultsAllowed() {
        return now().adultsAllowed;
      },
      get mail() {
        return now().mail;
      },
      x402: {
        ...this.now.x402,
        get facilitatorHeaders() {
          return now().x402.facilitatorHeaders;
        },
        get facilitatorHeadersByOrigin() {
          return now().x402.facilitatorHeadersByOrigin;
        },
        get relayerKey() {
          return now().x402.relayerKey;
        },
      },
      blobs: { ...this.now.blobs, s3: live(() => now().blobs.s3) },
      embedder: live(() => now().embedder),
      billing: { ...this.now.billing, stripe: live(() => now().billing.stripe) },
      providers: this.now.providers.map((provider, at) => ({
        ...provider,
        access: live(() => now().providers[at]!.access),
      })),
    });
  }

  /**
   * Applies the settings that may change while the process runs. If any setting is wrong, it throws and changes
   * nothing.
   */
  takeOver(variables: Variables): Change {
    readSettings(variables);
    const names = [...new Set([...settingNames(this.variables), ...settingNames(variables)])];
    const changed = names.filter((name) => valueOf(variables, name) !== valueOf(this.variables, name));
    const rotating = new Set(rotatingNames(this.variables));
    const taken = changed.filter((name) => rotating.has(name) && !this.switches(name, variables));
    const next = { ...this.variables, ...Object.fromEntries(taken.map((name) => [name, variables[name]])) };
    this.now = readSettings(next);
    this.variables = next;
    this.secrets = [...new Set([...this.secrets, ...this.now.secrets])];
    return { taken, waiting: changed.filter((name) => !taken.includes(name)) };
  }

  /**
   * Whether the variable appears or disappears, and this would enable or disable a provider or a part. Such a change
   * needs a restart.
   */
  private switches(name: string, variables: Variables): boolean {
    if ((valueOf(variables, name) === '') === (valueOf(this.variables, name) === '')) return false;
    return SWITCHES.has(name) || this.now.providers.some(({ enabledBy }) => enabledBy === name);
  }
}

/**
 * Variables whose absence has a meaning: the service sends no mails, or the store gets its credentials in another way.
 */
const SWITCHES: ReadonlySet<string> = new Set(['SMTP_URL', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']);

/** An empty variable counts as unset. */
const valueOf = (variables: Variables, name: string): string => variables[name] ?? '';
