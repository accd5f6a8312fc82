import { LEADS, type Role } from '../accounts/roles';
import type { KeyChange, NewKey } from './api-key';
import { KEY_SETTINGS, type KeySetting, type SetBy } from './key-set-by';

const settingsIn = (change: KeyChange): readonly KeySetting[] =>
  KEY_SETTINGS.filter((setting) => change[setting] !== undefined);

/** What a change leaves behind of who made it. */
export const setByOf = (change: KeyChange, role: Role): SetBy =>
  Object.fromEntries(settingsIn(change).map((setting) => [setting, role]));

/** The same of a new key: what it starts without was not set. */
export const setAtStart = (
  { spendLimitMicro, spendLimits, scopes, expiresInSeconds }: Partial<NewKey>,
  role: Role,
): SetBy =>
  setByOf(
    {
      spendLimitMicro: spendLimitMicro ?? undefined,
      spendLimits,
      scopes,
      expiresInDays: expiresInSeconds ?? undefined,
    },
    role,
  );

/** What the change may only touch where no owner or admin has set it. Disabling a key is always stricter. */
export const guardedIn = (change: KeyChange, role: Role): readonly KeySetting[] =>
  LEADS.includes(role)
    ? []
    : settingsIn(change).filter((setting) => setting !== 'enabled' || change.enabled === true);

export const isGuarded = (setBy: SetBy, settings: readonly KeySetting[]): boolean =>
  settings.some((setting) => {
    const role = setBy[setting];
    return role !== undefined && LEADS.includes(role);
  });
