import { type Variables, isSwitch } from './platform/config/variables';
import { type Settings, readSettings, rotatingNames, settingNames, viewOf } from './settings';

/** The names of the changed settings. */
interface Change {
  readonly taken: readonly string[];
  /** The changed settings that need a restart. */
  readonly waiting: readonly string[];
}

/**
 * The settings of a running process. Vendors' keys, operators' tokens and similar settings may change while the process
 * runs. The others need a restart.
 */
export class LiveSettings {
  private now: Settings;

  constructor(private variables: Variables) {
    this.now = readSettings(variables);
  }

  /**
   * The settings for the whole service. Code reads changing values through this object at each use; a copy (`{
   * ...settings }`) would keep the old values.
   */
  view(known: Partial<Settings> = {}): Settings {
    return viewOf(() => this.now, known);
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
    const read = readSettings(next);
    // The log hides earlier secrets as well, because a party may repeat one in its answers.
    this.now = { ...read, secrets: [...new Set([...this.now.secrets, ...read.secrets])] };
    this.variables = next;
    return { taken, waiting: changed.filter((name) => !taken.includes(name)) };
  }

  /**
   * Whether the variable appears or disappears, and this would enable or disable a provider or a part. Such a change
   * needs a restart.
   */
  private switches(name: string, variables: Variables): boolean {
    if ((valueOf(variables, name) === '') === (valueOf(this.variables, name) === '')) return false;
    return isSwitch(name) || this.now.providers.some(({ enabledBy }) => enabledBy === name);
  }
}

/** An empty variable counts as unset. */
const valueOf = (variables: Variables, name: string): string => variables[name] ?? '';
