import type { Role } from '#people/accounts/roles';

/** Settings of a key for which the database keeps the role that set them. */
export const KEY_SETTINGS = ['enabled', 'expiresInDays', 'spendLimitMicro', 'spendLimits', 'scopes'] as const;
export type KeySetting = (typeof KEY_SETTINGS)[number];

/** The role that last set each setting. */
export type SetBy = Readonly<Partial<Record<KeySetting, Role>>>;
