import { Whole } from '#platform/config/variables';
import { defineSettings } from '#platform/config/settings';

declare module '#platform/http/limits/rate-limits.settings' {
  interface CallLimits {
    /** Texts of one payer at /v1/agent/chat. */
    readonly chat: number;
    /** Texts that are charged by usage of one payer, at the compatible routes. */
    readonly text: number;
  }
}

class ChatVariables {
  @Whole(0, 1_000_000_000) readonly RATE_LIMIT_CHAT: number = 30;
  @Whole(0, 1_000_000_000) readonly RATE_LIMIT_TEXT: number = 600;
}

export const chatSettings = defineSettings({
  variables: ChatVariables,
  read: (env: ChatVariables) => ({ limits: { chat: env.RATE_LIMIT_CHAT, text: env.RATE_LIMIT_TEXT } }),
});
