import { Expose } from 'class-transformer';
import { IsOptional, MaxLength, MinLength } from 'class-validator';

import { listOf } from '#platform/config/setting';
import { Rotating, Text } from '#platform/config/variables';
import { ADMIN_SCOPES, ADMIN_TOKENS_RULE, type Admin, parseAdmins } from './admins';
import { type SettingsOf, defineSettings } from '#platform/config/settings';

class AdminVariables {
  @Rotating('admins') @Expose() @IsOptional() @MinLength(16) @MaxLength(500) readonly ADMIN_TOKEN?: string;
  @Rotating('admins') @Text(10_000) readonly ADMIN_TOKENS?: string;
}

/** The operators: the holder of the single token, and those with names. Undefined if an entry is malformed. */
const adminsOf = ({
  ADMIN_TOKEN: token,
  ADMIN_TOKENS: tokens,
}: AdminVariables): readonly Admin[] | undefined => {
  const named = parseAdmins(listOf(tokens));
  return token === undefined ? named : named && [{ name: 'admin', scopes: ADMIN_SCOPES, token }, ...named];
};

export const adminSettings = defineSettings({
  variables: AdminVariables,
  problems: (env: AdminVariables) =>
    adminsOf(env) === undefined ? [`ADMIN_TOKENS must list ${ADMIN_TOKENS_RULE}`] : [],
  read: (env: AdminVariables) => ({ admins: adminsOf(env) ?? [] }),
  secrets: (env: AdminVariables) => (adminsOf(env) ?? []).map(({ token }) => token),
});

export type AdminSettings = SettingsOf<typeof adminSettings>;
