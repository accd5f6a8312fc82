import { ApiKeyRail } from '../../billing/rails/api-key/api-key.rail';
import { OPERATION, declareOperation } from '../../billing/charges/operation';

/** Long conversations, and images in them. */
const BYTES_MAX = 12 * 1024 * 1024;

/** What is true of every door: the same conversation is sold, at the same price, under the same limits. */
export const BY_USE = {
  operation: declareOperation({ name: OPERATION.byUse, sold: 'One chat completion.' }),
  rails: [ApiKeyRail.facts.name],
  limit: 'chat',
  scope: 'studio',
  runSecondsMax: 300,
  replaySeconds: 600,
  answer: 'by-use',
} as const;

export const PUBLISHED_BY_USE = {
  bodyBytesMax: BYTES_MAX,
  uploads: {},
  keptBytesMax: BYTES_MAX,
  generates: true,
  aboutMark:
    'A mark of yours: the same mark gets the first answer again, streamed or whole, and is charged once.',
} as const;
