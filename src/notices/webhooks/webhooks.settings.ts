import { Whole } from '#platform/config/variables';
import { defineSettings } from '#platform/config/settings';

declare module '#platform/http/limits/rate-limits.settings' {
  interface CallLimits {
    /** Test messages to the webhooks of one owner. */
    readonly webhookTests: number;
  }
}

class WebhookVariables {
  @Whole(0, 1_000_000_000) readonly RATE_LIMIT_WEBHOOK_TESTS: number = 5;
}

export const webhookSettings = defineSettings({
  variables: WebhookVariables,
  read: (env: WebhookVariables) => ({ limits: { webhookTests: env.RATE_LIMIT_WEBHOOK_TESTS } }),
});
