import { Whole } from '#platform/config/variables';
import { defineSettings } from '#platform/config/settings';

declare module '#platform/http/limits/rate-limits.settings' {
  interface CallLimits {
    /** Generated images and videos of one payer. */
    readonly media: number;
  }
}

class GenerationVariables {
  @Whole(0, 1_000_000_000) readonly RATE_LIMIT_MEDIA: number = 6;
}

export const generationSettings = defineSettings({
  variables: GenerationVariables,
  read: (env: GenerationVariables) => ({ limits: { media: env.RATE_LIMIT_MEDIA } }),
});
