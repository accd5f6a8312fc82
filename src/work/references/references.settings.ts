import { Whole } from '#platform/config/variables';
import { defineSettings } from '#platform/config/settings';

declare module '#platform/http/limits/rate-limits.settings' {
  interface CallLimits {
    /** Changes that one owner makes to the reference library. */
    readonly references: number;
  }
}

class ReferenceVariables {
  @Whole(0, 1_000_000_000) readonly RATE_LIMIT_REFERENCES: number = 30;
}

export const referenceSettings = defineSettings({
  variables: ReferenceVariables,
  read: (env: ReferenceVariables) => ({ limits: { references: env.RATE_LIMIT_REFERENCES } }),
});
