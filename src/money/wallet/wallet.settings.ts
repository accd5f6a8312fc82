import { Whole } from '#platform/config/variables';
import { defineSettings } from '#platform/config/settings';

declare module '#platform/http/limits/rate-limits.settings' {
  interface CallLimits {
    /** Top-ups of one payer. */
    readonly topUp: number;
  }
}

class WalletVariables {
  @Whole(0, 1_000_000_000) readonly RATE_LIMIT_TOP_UP: number = 10;
}

export const walletSettings = defineSettings({
  variables: WalletVariables,
  read: (env: WalletVariables) => ({ limits: { topUp: env.RATE_LIMIT_TOP_UP } }),
});
