/** The promises, each with the address where a caller can verify it. */
export const GUARANTEES = [
  ['A price that was quoted is the price that is charged, until the quote expires.', 'POST /v1/agent/quote'],
  ['A failed call is not charged; on the prepaid rails it is refunded.', 'GET /v1/agent/charges/{id}'],
  ['A job that fails after it was charged is refunded once.', 'GET /v1/agent/jobs/{id}'],
  [
    'A job that its provider has not started can be cancelled, and is then refunded.',
    'POST /v1/agent/jobs/{id}/cancel',
  ],
  ['The same call sent again is charged once.', 'GET /v1/agent/charges/{id}'],
  [
    'An event is sent to your webhooks until they accept it, for a day.',
    'GET /v1/agent/webhooks/{id}/deliveries',
  ],
  ['You receive each event about your objects once and in order.', 'GET /v1/agent/events'],
  [
    'A delegated key spends no more than its own limit and the limits of all keys above it.',
    'POST /v1/agent/keys',
  ],
  ['Every charge has a signed receipt.', 'GET /.well-known/jwks.json'],
  [
    'All money is in an append-only log, and each receipt proves that it is in there.',
    'GET /v1/agent/charges/{id}',
  ],
  ["A wallet's top-ups, debits and refunds are public.", 'GET /v1/agent/x402/transactions/{wallet}'],
] as const;
