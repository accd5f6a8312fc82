export const EVENT_TYPES = [
  'job.accepted',
  'job.done',
  'job.failed',
  'charge.charged',
  'charge.released',
  'charge.refunded',
  'balance.topped_up',
  'top_up.failed',
  'balance.low',
  'spend.high',
  'key.limit_near',
  'key.expiring',
  'reference.ready',
  'webhook.disabled',
  'model.changed',
  'model.unavailable',
  'model.retired',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** The types for listeners of this service. Owners do not see the last one. */
export type InnerType = EventType | 'key.ended';

/**
 * The suffix of an event's id, if its object can have such an event only once. The id then contains that of the object,
 * and the primary key prevents a second event.
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

/** `evt_…` with the same random part as its object's id. */
const eventIdOf = (type: EndedType, id: string): string =>
  `evt_${id.slice(id.indexOf('_') + 1)}${ENDINGS[type]}`;

/** The events of a job, in order. */
export const jobEventIds = (jobId: string): readonly string[] =>
  (['job.accepted', 'job.done', 'job.failed'] as const).map((type) => eventIdOf(type, jobId));
