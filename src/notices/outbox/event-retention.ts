import { deletedRows } from '#platform/queue/sweep-rows.repository';

/** The days that events are kept. */
export const EVENT_DAYS = 30;

const IS_OLD = `< now() - interval '${EVENT_DAYS} days'`;
export const OLD_EVENTS = deletedRows({
  step: 'old-events',
  table: 'event',
  key: 'event.id',
  due: `event.created_at ${IS_OLD}`,
  order: 'event.created_at',
});
/** The newest old watermark stays, because it is the position before the oldest event. */
export const OLD_WATERMARKS = deletedRows({
  step: 'old-watermarks',
  table: 'event_watermark',
  key: 'position',
  due: `position < (select max(newest.position) from event_watermark newest where newest.seen_at ${IS_OLD})`,
  order: 'position',
});
