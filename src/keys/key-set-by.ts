import type { Role } from '../accounts/roles';

/** What can be set on a key and is remembered with the role that set it. */
export const KEY_SETTINGS = ['enabled', 'expiresInDays', 'spendLimitMicro', 'spendLimits', 'scopes'] as const;
export type KeySetting = (typeof KEY_SETTINGS)[number];

/** In which role each setting was last set. */
export type SetBy = Readonly<Partial<Record<KeySetting, Role>>>;
