import { ChoiceField, ListField, SchemaField, TextField, WhenField } from '../../platform/http/routes/fields';
import { EVENT_TYPES } from '../log/event-types';

export class EventAnswer {
  @TextField({ max: 100, about: 'Told once; whoever sees it again can drop it.' }) readonly id: string;
  @ChoiceField(EVENT_TYPES) readonly type: string;
  @WhenField() readonly createdAt: string;
  @SchemaField(
    { about: 'What the GET of its object showed then: a job, a receipt without its signature, a reference.' },
    { type: 'object' },
  )
  readonly data: object;
}

export class EventsAnswer {
  @ListField(() => EventAnswer, { about: 'Oldest first.' }) readonly events: readonly EventAnswer[];
  @TextField({ max: 100, about: 'For `after`, also when there was nothing new.' })
  readonly nextCursor: string;
}
