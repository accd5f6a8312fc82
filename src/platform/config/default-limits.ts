/** Calls a minute that each limit allows by default; `0` switches a limit off. Each has a setting `RATE_LIMIT_…`. */
export const DEFAULT_LIMITS = {
  /** Generated images and videos of one payer. */
  media: 6,
  /** Texts of one payer at /v1/agent/chat. */
  chat: 30,
  /** Texts by use of one payer, at the compatible routes. */
  text: 600,
  /** Calls of one address without a proven payment. */
  challenge: 60,
  /** Free calls of one address. */
  free: 600,
  /** Changes that one owner makes to the reference library. */
  references: 30,
  /** Top-ups of one payer. */
  topUp: 10,
  /** Sign-ins and sign-ups of one address. */
  signIn: 10,
  /** Test messages to the webhooks of one owner. */
  webhookTests: 5,
} as const;
