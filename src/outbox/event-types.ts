/** Everything that an owner can be told. */
export const EVENT_TYPES = [
  'job.accepted',
  'job.done',
  'job.failed',
  'charge.charged',
  'charge.released',
  'charge.refunded',
  'balance.topped_up',
  'balance.low',
  'spend.high',
  'key.limit_near',
  'key.expiring',
  'reference.ready',
  'webhook.disabled',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/**
 * What ends an event's id, where its object can have such an event only once: then the id says whose it is, and the
 * primary key that it is not told twice.
 */
export const ENDINGS = {
  'job.accepted': '.a',
  'job.done': '.d',
  'job.failed': '.f',
  'charge.charged': '.c',
  'charge.released': '.l',
  'charge.refunded': '.r',
  'balance.topped_up': '.t',
  'reference.ready': '.y',
} as const satisfies Partial<Record<EventType, string>>;

export type EndedType = keyof typeof ENDINGS;

/** For how long events are kept. */
export const EVENT_DAYS = 30;

/** `evt_…` of the same random bits as its object's id. */
const eventIdOf = (type: EndedType, id: string): string =>
  `evt_${id.slice(id.indexOf('_') + 1)}${ENDINGS[type]}`;

/** The events that a job can have, in their order. */
export const jobEventIds = (jobId: string): readonly string[] =>
  (['job.accepted', 'job.done', 'job.failed'] as const).map((type) => eventIdOf(type, jobId));
