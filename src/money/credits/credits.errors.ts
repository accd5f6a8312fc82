import { defineError } from '#kernel/app-error';
import { PAYMENT_UNAVAILABLE } from '#people/identity/identity.errors';
import { errorCode } from '#kernel/error-code';

export const NoSavedCard = defineError(
  errorCode('NO_SAVED_CARD', 'conflict', {
    means: 'Automatic top-ups charge a saved card, and this account or organisation has none.',
    remedy: 'Save a card first, at the page that `saveCard` opens.',
  }),
  (message: string = 'There is no saved card. Save one first, then switch automatic top-ups on.') => message,
);

/** The operator takes payments on chain only. */
export const CardsNotTaken = defineError(
  errorCode('CARDS_NOT_TAKEN', 'not_sold', {
    means: 'This service takes no cards.',
    remedy: 'Pay in USDC: for each call, from the balance of a wallet, or from a payment channel.',
  }),
  'This service takes no cards. Pay in USDC: GET /v1/agent/guide.md shows how.',
);

/** The processor did not answer, or answered wrongly. Only the log contains its answer. */
export const CheckoutUnavailable = defineError(PAYMENT_UNAVAILABLE, (cause: unknown) => ({
  message: 'Payments are not available for the moment. Nothing was charged; try again shortly.',
  retryAfterSeconds: 10,
  cause,
}));
