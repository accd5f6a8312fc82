import { PageQuery } from '../platform/http/routes/page-query';
import { EVENT_TYPES } from '../outbox/event-types';
import {
  ChoiceField,
  FlagField,
  ListField,
  NoSlipOf,
  SchemaField,
  TextField,
  WhenField,
  WholeField,
} from '../platform/http/routes/fields';
import { WebhookUrlField } from '../platform/http/outgoing/webhook-url';
import { ANSWER_MAX, PAYLOAD_MAX } from './webhook-exchange';
import { DELIVERY_STATES, type DeliveryState } from './webhook-delivery.entity';

const OVERLAP_SECONDS_MAX = 7 * 86_400;

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
  @WebhookUrlField('Where events are sent: a public https address.') readonly url: string;
  @TypesField('Which events; all of them when it is left out.') readonly types?: readonly string[];
}

@NoSlipOf('types', 'enabled')
export class WebhookChangeBody {
  @WebhookUrlField('Where events are sent from now on, those included that still wait.', { optional: true })
  readonly url?: string;
  @TypesField('Which events.') readonly types?: readonly string[];
  @FlagField({ optional: true, about: 'What happens while it is disabled is sent only by replay.' })
  readonly enabled?: boolean;
}

export class RotateWebhookBody {
  @WholeField({
    min: 0,
    max: OVERLAP_SECONDS_MAX,
    about: 'For how long the secrets before the new one sign as well.',
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
      'Why it is disabled: you said so, it failed for 24 hours, it answered 410, or the member that gave it its address left.',
  })
  readonly disabledReason?: string;
  @WhenField({ optional: true, about: 'Since when every try has failed.' }) readonly failingSince?: string;
  @WhenField() readonly createdAt: string;
  @TextField({ max: 60, optional: true, about: 'The key that gave it its address, and with which it ends.' })
  readonly keyId?: string;
  @TextField({
    max: 60,
    optional: true,
    about: 'The member of the organisation that did, and with whom it ends.',
  })
  readonly madeBy?: string;
}

export class WebhookWithSecretAnswer extends WebhookAnswer {
  @TextField({
    max: 60,
    about: 'What messages are signed with (`v1`). It is never shown again: keep it in a safe place.',
  })
  readonly secret: string;
}

export class WebhooksAnswer {
  @ListField(() => WebhookAnswer, { about: 'Oldest first.' }) readonly webhooks: readonly WebhookAnswer[];
}

export class WebhookTestAnswer {
  @FlagField({ about: 'Whether the endpoint took a message of the type `webhook.test`.' })
  readonly delivered: boolean;
  @TextField({ max: 120, about: 'The `webhook-id` that was sent.' }) readonly eventId: string;
  @WholeField({ min: 100, max: 999, optional: true, about: 'What it answered.' }) readonly status?: number;
  @TextField({ max: 200, optional: true, about: 'Why there was no answer.' }) readonly error?: string;
}

export class WebhookDeliveryAnswer {
  @TextField({ max: 120, about: 'The `webhook-id` of all its tries.' }) readonly eventId: string;
  @TextField({ max: 60, about: 'The type of the event.' }) readonly type: string;
  @ChoiceField(DELIVERY_STATES) readonly state: string;
  @WholeField({ min: 0, max: 100_000, about: 'How often it was tried.' }) readonly tries: number;
  @WholeField({ min: 100, max: 999, optional: true, about: 'What the last try was answered.' })
  readonly lastStatus?: number;
  @TextField({ max: 200, optional: true, about: 'Why there was no answer, or no further try.' })
  readonly lastError?: string;
  @WhenField() readonly createdAt: string;
  @WhenField({ optional: true }) readonly lastTriedAt?: string;
  @WhenField({ optional: true, about: 'Of one that is pending.' }) readonly nextTryAt?: string;
}

const HEADERS = { type: 'object', additionalProperties: { type: 'string', maxLength: 4_096 } };

export class WebhookTryAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 120, about: 'The `webhook-id` that was sent.' }) readonly eventId: string;
  @TextField({ max: 60, about: 'The type of the event; `webhook.test` is a test.' }) readonly type: string;
  @WhenField() readonly at: string;
  @WholeField({ min: 0, max: 1_000_000, about: 'From the beginning of the call to the end of the answer.' })
  readonly durationMs: number;
  @WholeField({ min: 100, max: 999, optional: true, about: 'What it answered.' }) readonly status?: number;
  @TextField({ max: 200, optional: true, about: 'Why there was no answer.' }) readonly error?: string;
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
  @TextField({ max: 120, optional: true, about: 'There are more: send it as `cursor`.' })
  readonly nextCursor?: string;
}

export class DeliveriesQuery extends PageQuery {
  /** An event's id and a time. */
  @TextField({ max: 120, optional: true, about: 'The `nextCursor` of the page before.' })
  override readonly cursor?: string;
  @ChoiceField(DELIVERY_STATES, { optional: true }) readonly state?: DeliveryState;
}
