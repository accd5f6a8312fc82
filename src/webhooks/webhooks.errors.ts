import { AppError, InvalidRequest } from '../kernel/app-error';
import { ENDPOINTS_MAX, ENDPOINTS_OF_KEYS_MAX, ENDPOINTS_OF_KEY_MAX } from './webhook-endpoint.repository';

/** The same message for an endpoint of another owner and for one that never existed. */
export class WebhookNotFound extends AppError {
  readonly kind = 'not_found';
  readonly code = 'NOT_FOUND';

  constructor() {
    super('You have no webhook endpoint with this id.');
  }
}

/** The repetition of a rotation after a later rotation: its secret is retired. */
export class SecretNotShownAgain extends AppError {
  readonly kind = 'gone';
  readonly code = 'REPLAY_EXPIRED';

  constructor() {
    super(
      'This call made a secret that a later rotation has replaced, and a retired secret is not shown again. Rotate with a new Idempotency-Key.',
      { param: 'Idempotency-Key' },
    );
  }
}

export class EventNotFound extends AppError {
  readonly kind = 'not_found';
  readonly code = 'NOT_FOUND';

  constructor() {
    super('You have no event with this id, or it is older than events are kept.');
  }
}

/** Without this refusal, the maker would wait for events that the endpoint never receives. */
export class TypesNotSeen extends InvalidRequest {
  constructor(types: readonly string[]) {
    super(
      `types: an endpoint of this maker never receives ${types.join(', ')}. An owner or an admin can make one that does.`,
      { param: 'types' },
    );
  }
}

export class TooManyWebhooks extends AppError {
  readonly kind = 'conflict';
  readonly code = 'TOO_MANY_WEBHOOKS';

  constructor(isOfPart: boolean) {
    super(
      isOfPart
        ? `A delegated key may have ${ENDPOINTS_OF_KEY_MAX} webhook endpoints, and all delegated keys of an owner ${ENDPOINTS_OF_KEYS_MAX}. Delete one, then add this.`
        : `You have ${ENDPOINTS_MAX} webhook endpoints, which is the maximum. Delete one, then add this.`,
    );
  }
}

/** Only owners who have paid may name addresses for messages. */
export class WebhooksNotFree extends AppError {
  readonly kind = 'payment_required';
  readonly code = 'INSUFFICIENT_FUNDS';

  constructor(topUp: string) {
    super('Webhooks are only for owners who have paid before. Top up any amount, then send it again.', {
      links: { topUp },
    });
  }
}

/** The endpoint would not get the event, so it can't be sent again. */
export class WebhookDisabled extends AppError {
  readonly kind = 'conflict';
  readonly code = 'WEBHOOK_DISABLED';

  constructor() {
    super('This webhook endpoint is disabled. Enable it (PATCH with enabled: true), then replay.');
  }
}
