import { InvalidRequest, defineError } from '#kernel/app-error';
import { NOT_FOUND, REPLAY_EXPIRED } from '#kernel/common-codes';
import { INSUFFICIENT_FUNDS } from '#money/billing/charges/funds.errors';
import { errorCode } from '#kernel/error-code';
import { ENDPOINTS_MAX, ENDPOINTS_OF_KEYS_MAX, ENDPOINTS_OF_KEY_MAX } from './webhook-limits';

/** The same message for an endpoint of another owner and for one that never existed. */
export const WebhookNotFound = defineError(NOT_FOUND, 'You have no webhook endpoint with this id.');

/** The repetition of a rotation after a later rotation: its secret is retired. */
export const SecretNotShownAgain = defineError(
  REPLAY_EXPIRED,
  'This call made a secret that a later rotation has replaced, and a retired secret is not shown again. Rotate with a new Idempotency-Key.',
  { param: 'Idempotency-Key' },
);

export const EventNotFound = defineError(
  NOT_FOUND,
  'You have no event with this id, or it is older than events are kept.',
);

/** Without this refusal, the maker would wait for events that the endpoint never receives. */
export class TypesNotSeen extends InvalidRequest {
  constructor(types: readonly string[]) {
    super(
      `types: an endpoint of this maker never receives ${types.join(', ')}. An owner or an admin can make one that does.`,
      { param: 'types' },
    );
  }
}

export const TooManyWebhooks = defineError(
  errorCode('TOO_MANY_WEBHOOKS', 'conflict', {
    means: 'You have as many webhook endpoints as allowed.',
    remedy: 'Delete one, then add this.',
  }),
  (isOfPart: boolean) =>
    isOfPart
      ? `A delegated key may have ${ENDPOINTS_OF_KEY_MAX} webhook endpoints, and all delegated keys of an owner ${ENDPOINTS_OF_KEYS_MAX}. Delete one, then add this.`
      : `You have ${ENDPOINTS_MAX} webhook endpoints, which is the maximum. Delete one, then add this.`,
);

/** Only owners who have paid may name addresses for messages. */
export const WebhooksNotFree = defineError(INSUFFICIENT_FUNDS, (topUp: string) => ({
  message: 'Webhooks are only for owners who have paid before. Top up any amount, then send it again.',
  links: { topUp },
}));

/** The endpoint would not get the event, so it can't be sent again. */
export const WebhookDisabled = defineError(
  errorCode('WEBHOOK_DISABLED', 'conflict', {
    means: 'The endpoint is switched off, by you or because it failed for a day, so nothing is sent there.',
    remedy: '`PATCH` it with `enabled: true`, then replay the missed events.',
  }),
  'This webhook endpoint is disabled. Enable it (PATCH with enabled: true), then replay.',
);
