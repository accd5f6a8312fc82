import { defineError } from '#kernel/app-error';
import { MISSING_CREDENTIALS } from '#people/accounts/accounts.errors';
import { errorCode } from '#kernel/error-code';

export const NotAnAdmin = defineError(
  MISSING_CREDENTIALS,
  'This needs Authorization: Bearer with the token of an operator: see ADMIN_TOKEN and ADMIN_TOKENS.',
);

/** The operator's token lacks this scope. */
export const NotInAdminScope = defineError(
  errorCode('ADMIN_SCOPE', 'forbidden', {
    means: 'The operator’s token lacks the scope for this. `param` names it.',
    remedy: 'Ask an operator with this scope, or the administrator of ADMIN_TOKENS.',
  }),
  (name: string, scope: string) => ({
    message: `The operator ${name} lacks the scope ${scope}: see ADMIN_TOKENS.`,
    param: scope,
  }),
);

/** The audit already has a decision about this payment, and decisions are final. */
export const AlreadyResolved = defineError(
  errorCode('ALREADY_RESOLVED', 'conflict', {
    means: 'An operator has already decided something else about this payment.',
    remedy: 'Read the audit. A payment is decided once.',
  }),
  'There is already another decision about this payment: see GET /v1/admin/audit.',
);

/** The held price is no longer the one that the operator saw. */
export const HeldPriceChanged = defineError(
  errorCode('HELD_PRICE_CHANGED', 'conflict', {
    means: 'The price to which an operator agrees is no longer the held price of the model.',
    remedy: 'Read `GET /v1/admin/models` again, and agree to the price that it shows.',
  }),
  'This price is no longer held: read GET /v1/admin/models again.',
  { param: 'agree' },
);
