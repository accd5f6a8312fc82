import { Expose } from 'class-transformer';
import { IsOptional, MaxLength, MinLength } from 'class-validator';

import type { DatabaseVariables } from '../database/database.settings';
import { Secret } from './variables';
import { type SettingsOf, defineSettings, needs } from './settings';

class SigningVariables {
  @Secret() @Expose() @IsOptional() @MinLength(32) @MaxLength(500) readonly SIGNING_SECRET?: string;
  @Secret()
  @Expose()
  @IsOptional()
  @MinLength(32)
  @MaxLength(500)
  readonly SIGNING_SECRET_PREVIOUS?: string;
}

export const signingSettings = defineSettings({
  variables: SigningVariables,
  problems: (env: SigningVariables & DatabaseVariables) =>
    needs(env, env.DATABASE_URL !== undefined, 'with DATABASE_URL', 'SIGNING_SECRET'),
  read: (env: SigningVariables) => ({
    signingSecret: env.SIGNING_SECRET,
    /**
     * The previous or the next secret. The service accepts its signatures everywhere, and never signs new things with
     * it.
     */
    signingSecretPrevious: env.SIGNING_SECRET_PREVIOUS,
  }),
});

export type SigningSettings = SettingsOf<typeof signingSettings>;
