import {
  ChoiceField,
  ListField,
  SchemaField,
  TextField,
  WhenField,
  WholeField,
} from '#platform/http/routes/fields';
import { EVENT_TYPES } from '#notices/outbox/event-types';

export class EventAnswer {
  @TextField({ max: 100, about: 'Sent once; a receiver can drop a repeated id.' }) readonly id: string;
  @ChoiceField(EVENT_TYPES) readonly type: string;
  @WhenField() readonly createdAt: string;
  @SchemaField(
    {
      about:
        'The object at that time, as its GET shows it: a job, a receipt without its signature, or a reference.',
    },
    { type: 'object' },
  )
  readonly data: object;
}

export class EventsAnswer {
  @ListField(() => EventAnswer, { about: 'Oldest first.' }) readonly events: readonly EventAnswer[];
  @TextField({ max: 100, about: 'For `after`, also when there was nothing new.' })
  readonly nextCursor: string;
}

const PAGE_DEFAULT = 100;
const PAGE_MAX = 500;
const CURSOR_CHARS_MAX = 100;
const TYPES_CHARS_MAX = 400;

export class EventsQuery {
  @TextField({
    max: CURSOR_CHARS_MAX,
    optional: true,
    about:
      'A `nextCursor`, the id of an event, or `now`. Without a cursor the answer begins with the oldest kept event.',
  })
  readonly after?: string;
  @TextField({
    max: TYPES_CHARS_MAX,
    optional: true,
    about: 'Only these, with commas between them.',
    example: 'job.done,job.failed',
  })
  readonly types?: string;
  @WholeField({ min: 1, max: PAGE_MAX, default: PAGE_DEFAULT, optional: true }) readonly limit: number;
}
