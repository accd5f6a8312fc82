import { ORIGIN_MISMATCH } from '#people/accounts/accounts.errors';
import { defineError } from '#kernel/app-error';

/** The form was not sent from the page of consent of this session. */
export const ForeignForm = defineError(
  ORIGIN_MISMATCH,
  'This form does not belong to your sign-in. Look at the page again, and decide once more.',
);
