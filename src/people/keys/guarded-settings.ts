import { LEADS, type Role } from '#people/accounts/roles';
import type { KeyChange, NewKey } from './api-key';
import { KEY_SETTINGS, type KeySetting, type SetBy } from './key-set-by';

const settingsIn = (change: KeyChange): readonly KeySetting[] =>
  KEY_SETTINGS.filter((setting) => change[setting] !== undefined);

export const setByOf = (change: KeyChange, role: Role): SetBy =>
  Object.fromEntries(settingsIn(change).map((setting) => [setting, role]));

/** The role for each setting of a new key. Missing values count as not set. */
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

/** The settings that a developer may change only if no owner or admin has set them. Anybody may disable a key. */
export const guardedIn = (change: KeyChange, role: Role): readonly KeySetting[] =>
  LEADS.includes(role)
    ? []
    : settingsIn(change).filter((setting) => setting !== 'enabled' || change.enabled === true);

export const isGuarded = (setBy: SetBy, settings: readonly KeySetting[]): boolean =>
  settings.some((setting) => {
    const role = setBy[setting];
    return role !== undefined && LEADS.includes(role);
  });
