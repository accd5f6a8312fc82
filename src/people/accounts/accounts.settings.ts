import { Whole } from '#platform/config/variables';
import { defineSettings } from '#platform/config/settings';

declare module '#platform/http/limits/rate-limits.settings' {
  interface CallLimits {
    /** Sign-ins and sign-ups of one address. */
    readonly signIn: number;
  }
}

class AccountVariables {
  @Whole(0, 1_000_000_000) readonly RATE_LIMIT_SIGN_IN: number = 10;
}

export const accountSettings = defineSettings({
  variables: AccountVariables,
  read: (env: AccountVariables) => ({ limits: { signIn: env.RATE_LIMIT_SIGN_IN } }),
});
