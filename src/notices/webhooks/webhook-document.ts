import { EVENT_TYPES, type EventType } from '#notices/outbox/event-types';
import { CALL_TRIES_MAX } from './retry-schedule';

/** The schema of an event's data, by the beginning of its type. */
const SHOWS: Readonly<Record<string, string>> = {
  job: 'The job as GET /v1/agent/jobs/{id} shows it, with its id.',
  charge: 'The receipt of the charge, without its signature.',
  balance: 'The balance, with the amount that was paid in, or with the limit that it fell below.',
  spend: 'The amount spent today, and the limit.',
  key: 'The key, without its secret, and how much of its limit it has spent, or when it expires.',
  reference: 'The reference.',
  webhook: 'The disabled webhook endpoint.',
  model:
    'The model with its price, and the one before, or its last day. `forSale: false`: not for sale for now.',
};

const header = (name: string, description: string): object => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

const HEADERS = [
  header('webhook-id', 'The id of the event: the same at each try and each replay.'),
  header('webhook-timestamp', 'Seconds since 1970. Refuse what is older than 5 minutes.'),
  header(
    'webhook-signature',
    'One or several, with blanks between them, over `{webhook-id}.{webhook-timestamp}.{body}`: `v1,` and an HMAC-SHA256 in ' +
      'base64 with the secret of the endpoint, and `v1a,` and an Ed25519 signature with the key at /.well-known/jwks.json.',
  ),
];

const messageOf = (type: EventType): object => ({
  type: 'object',
  required: ['id', 'type', 'createdAt', 'data', 'recipient'],
  properties: {
    id: { type: 'string', description: 'The id of the event.' },
    type: { type: 'string', const: type },
    createdAt: { type: 'string', format: 'date-time' },
    data: { type: 'object', description: SHOWS[type.split('.')[0] ?? ''] },
    recipient: {
      type: 'object',
      description:
        'The receiver of the message. Compare it when you verify `v1a`, because all receivers verify messages with ' +
        'the same public key.',
      required: ['owner'],
      properties: {
        owner: { type: 'string', description: 'The account or the wallet that the event belongs to.' },
        endpoint: { type: 'string', description: 'The endpoint; absent at the `webhookUrl` of a call.' },
      },
    },
  },
});

/** The name of `job.done` is `onJobDone`. */
const nameOf = (type: EventType): string =>
  `on${type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`;

/** The OpenAPI description of the webhooks that we send. */
export const webhooksDocument = (): Readonly<Record<string, object>> =>
  Object.fromEntries(
    EVENT_TYPES.map((type) => [
      type,
      {
        post: {
          tags: ['webhooks'],
          security: [],
          operationId: nameOf(type),
          summary: `Sent to webhook endpoints on ${type}.`,
          ...(/^job\.(done|failed)$/.test(type)
            ? {
                description: `It is also sent to the \`webhookUrl\` of the call, signed with \`v1a\` only, in at most ${CALL_TRIES_MAX} tries.`,
              }
            : {}),
          parameters: HEADERS,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: messageOf(type) } },
          },
          responses: {
            '2XX': {
              description: 'The message is accepted. After any other answer the service sends it again.',
            },
            '410': {
              description: 'The receiver wants no more messages, and the service disables the endpoint.',
            },
          },
        },
      },
    ]),
  );
