import { TEXT_REPLAY_SECONDS } from '#money/billing/calls/replay-limits';
import type { ChannelSettings } from '#money/billing/rails/channel/channel.settings';
import { byUseRailNames } from '#money/billing/rails/rail-order';
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

/** A call by channel must be charged and claimed before a withdrawal that begins just before the call can end. */
const CALLS_PER_WITHDRAWAL = 3;

/** The longest time of a conversation. */
export const secondsMaxOf = ({ offered, withdrawSeconds }: ChannelSettings['x402']['channels']): number =>
  offered ? Math.min(BY_USE.runSecondsMax, withdrawSeconds / CALLS_PER_WITHDRAWAL) : BY_USE.runSecondsMax;

export const ABOUT_KEY =
  'Your idempotency key: the same key gets the first answer again, streamed or whole, and is charged once.';
