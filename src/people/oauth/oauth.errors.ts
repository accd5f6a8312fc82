import { ORIGIN_MISMATCH } from '#people/accounts/accounts.errors';
import { defineError } from '#kernel/app-error';

/** The form was not sent from the page of consent of this session. */
export const ForeignForm = defineError(
  ORIGIN_MISMATCH,
  'This form does not belong to your sign-in. Look at the page again, and decide once more.',
);

/** Texts that help a person whose app cannot connect, in place of two errors of the library. */
export const TEXT_OF_LIBRARY_ERROR: Readonly<Record<string, string>> = {
  'client is invalid':
    'This service does not know the app. Apps that nobody connects are forgotten after a day: remove the sign-in in the app, and connect it again.',
  'client_id metadata document fetch failed':
    'The app names itself by an address on the internet, and this service could not read it there. Try again. If the service has no way to the internet, register the app (Codex: --oauth-client-registration dcr) or use a key.',
};
