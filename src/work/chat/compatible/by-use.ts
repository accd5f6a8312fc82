import { TEXT_REPLAY_SECONDS } from '#money/billing/calls/replay-limits';
import { byUseRailNames } from '#money/billing/rails/index';
import { OPERATION, declareOperation } from '#money/billing/charges/operation';

/** The lists of a conversation have no limits of their own, so this limit bounds them. */
const BYTES_MAX = 32 * 1024 * 1024;

/** All compatible routes sell the same conversation, at the same price, under the same limits. */
export const BY_USE = {
  operation: declareOperation({ name: OPERATION.byUse, sold: 'One chat completion.' }),
  rails: byUseRailNames() as readonly string[],
  limit: 'text',
  scope: 'studio',
  runSecondsMax: 900,
  replaySeconds: TEXT_REPLAY_SECONDS,
  answer: 'by-use',
  bodyBytesMax: BYTES_MAX,
  uploads: {},
  keptBytesMax: BYTES_MAX,
  generates: true,
} as const;

export const ABOUT_KEY =
  'Your idempotency key: the same key gets the first answer again, streamed or whole, and is charged once.';
