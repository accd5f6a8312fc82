import { PageQuery } from '#platform/http/routes/page-query';
import { EVENT_TYPES } from '#notices/outbox/event-types';
import {
  ChoiceField,
  FlagField,
  ListField,
  NoSlipOf,
  SchemaField,
  TextField,
  WhenField,
  WholeField,
} from '#platform/http/routes/fields';
import { WebhookUrlField } from './webhook-url';
import { ANSWER_MAX, PAYLOAD_MAX } from './webhook-exchange';
import { DELIVERY_STATES, type DeliveryState } from './webhook-delivery.entity';
import { SECRET_OVERLAP_SECONDS_MAX } from './webhook-limits';

const TypesField = (about: string): PropertyDecorator =>
  SchemaField(
    { optional: true, about },
    {
      type: 'array',
      minItems: 1,
      maxItems: EVENT_TYPES.length,
      uniqueItems: true,
      items: { type: 'string', enum: [...EVENT_TYPES] },
    },
  );

@NoSlipOf('types')
export class NewWebhookBody {
  @WebhookUrlField('The address to which events are sent: a public https address.') readonly url: string;
  @TypesField(
    'The types of events to send. Without it, all types that the maker sees are sent. Developers and delegated keys see fewer.',
  )
  readonly types?: readonly string[];
}

@NoSlipOf('types', 'enabled')
export class WebhookChangeBody {
  @WebhookUrlField('The new address for events, also for pending deliveries.', { optional: true })
  readonly url?: string;
  @TypesField('The types of events to send.') readonly types?: readonly string[];
  @FlagField({
    optional: true,
    about: 'Events that happen while the endpoint is disabled are sent only by a replay.',
  })
  readonly enabled?: boolean;
}

export class RotateWebhookBody {
  @WholeField({
    min: 0,
    max: SECRET_OVERLAP_SECONDS_MAX,
    about: 'The seconds for which the earlier secrets sign as well.',
    example: 86_400,
  })
  readonly overlapSeconds: number;
}

export class WebhookAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 2_048 }) readonly url: string;
  @SchemaField({ about: 'The events that it receives.' }, { type: 'array', items: { type: 'string' } })
  readonly types: readonly string[];
  @FlagField() readonly enabled: boolean;
  @ChoiceField(['owner', 'failing', 'gone', 'maker'], {
    optional: true,
    about:
      'The reason why it is disabled: you disabled it, it failed for 24 hours, it answered 410, or the member who ' +
      'set its address has left.',
  })
  readonly disabledReason?: string;
  @WhenField({ optional: true, about: 'The time since which every try has failed.' })
  readonly failingSince?: string;
  @WhenField() readonly createdAt: string;
  @TextField({
    max: 60,
    optional: true,
    about: 'The key that set its address. The endpoint ends with this key.',
  })
  readonly keyId?: string;
  @TextField({
    max: 60,
    optional: true,
    about: 'The member of the organisation who set its address. The endpoint ends with this member.',
  })
  readonly madeBy?: string;
}

export class WebhookWithSecretAnswer extends WebhookAnswer {
  @TextField({
    max: 60,
    about: 'The secret that signs messages (`v1`). It is shown only now, so keep it in a safe place.',
  })
  readonly secret: string;
}

export class WebhooksAnswer {
  @ListField(() => WebhookAnswer, { about: 'Oldest first.' }) readonly webhooks: readonly WebhookAnswer[];
}

export class WebhookTestAnswer {
  @FlagField({ about: 'Whether the endpoint accepted the message of the type `webhook.test`.' })
  readonly delivered: boolean;
  @TextField({ max: 120, about: 'The `webhook-id` that was sent.' }) readonly eventId: string;
  @WholeField({ min: 100, max: 999, optional: true, about: "The HTTP status of the endpoint's answer." })
  readonly status?: number;
  @TextField({ max: 200, optional: true, about: 'The reason why there was no answer.' })
  readonly error?: string;
}

export class WebhookDeliveryAnswer {
  @TextField({ max: 120, about: 'The `webhook-id` of all its tries.' }) readonly eventId: string;
  @TextField({ max: 60, about: 'The type of the event.' }) readonly type: string;
  @ChoiceField(DELIVERY_STATES) readonly state: string;
  @WholeField({ min: 0, max: 100_000, about: 'The number of tries.' }) readonly tries: number;
  @WholeField({ min: 100, max: 999, optional: true, about: 'The HTTP status of the last answer.' })
  readonly lastStatus?: number;
  @TextField({ max: 200, optional: true, about: 'The reason why there was no answer, or no further try.' })
  readonly lastError?: string;
  @WhenField() readonly createdAt: string;
  @WhenField({ optional: true }) readonly lastTriedAt?: string;
  @WhenField({ optional: true, about: 'The time of the next try, if the delivery is pending.' })
  readonly nextTryAt?: string;
}

const HEADERS = { type: 'object', additionalProperties: { type: 'string', maxLength: 4_096 } };

export class WebhookTryAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 120, about: 'The `webhook-id` that was sent.' }) readonly eventId: string;
  @TextField({ max: 60, about: 'The type of the event; `webhook.test` is a test.' }) readonly type: string;
  @WhenField() readonly at: string;
  @WholeField({ min: 0, max: 1_000_000, about: 'From the beginning of the call to the end of the answer.' })
  readonly durationMs: number;
  @WholeField({ min: 100, max: 999, optional: true, about: "The HTTP status of the endpoint's answer." })
  readonly status?: number;
  @TextField({ max: 200, optional: true, about: 'The reason why there was no answer.' })
  readonly error?: string;
  @TextField({ max: PAYLOAD_MAX, about: 'The sent body, at most its first 8192 characters.' })
  readonly payload: string;
  @SchemaField({ about: 'The sent headers.' }, HEADERS)
  readonly requestHeaders: Readonly<Record<string, string>>;
  @SchemaField({ about: 'At most 20 headers of the answer, without cookies.' }, HEADERS)
  readonly responseHeaders: Readonly<Record<string, string>>;
  @TextField({ max: ANSWER_MAX, about: 'The beginning of the answer, as plain text. It is not followed.' })
  readonly responseBody: string;
}

export class WebhookTriesAnswer {
  @ListField(() => WebhookTryAnswer, { about: 'The newest 20 of the last 7 days, newest first.' })
  readonly tries: readonly WebhookTryAnswer[];
}

export class TriesQuery {
  @TextField({ max: 120, optional: true, about: 'Only those of one event.' }) readonly eventId?: string;
}

export class WebhookDeliveriesAnswer {
  @ListField(() => WebhookDeliveryAnswer, { about: 'Newest first.' })
  readonly deliveries: readonly WebhookDeliveryAnswer[];
  @TextField({
    max: 120,
    optional: true,
    about: 'Send it as `cursor` for the next page; absent on the last page.',
  })
  readonly nextCursor?: string;
}

export class DeliveriesQuery extends PageQuery {
  /** An event's id and a time. */
  @TextField({ max: 120, optional: true, about: 'The `nextCursor` of the page before.' })
  override readonly cursor?: string;
  @ChoiceField(DELIVERY_STATES, { optional: true }) readonly state?: DeliveryState;
}
