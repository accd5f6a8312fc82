/** The kind of a failure, in the caller's terms. The error filter has the only table of statuses by kind. */
export type ErrorKind =
  | 'invalid_request'
  | 'unauthenticated'
  | 'payment_required'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'too_slow'
  | 'conflict'
  | 'gone'
  | 'too_large'
  | 'unsupported_media'
  | 'mismatch'
  | 'unprocessable'
  | 'media_rejected'
  | 'policy_blocked'
  | 'rate_limited'
  | 'full'
  | 'region'
  | 'provider'
  | 'unavailable'
  | 'not_sold'
  | 'internal';

interface CodeEntry {
  /** The possible kinds of an error with this code. They determine its statuses. */
  readonly kinds: readonly ErrorKind[];
  readonly means: string;
  /** The remedy for the caller. */
  readonly remedy: string;
}

/**
 * Every error code, with its meaning and remedy. An `AppError` has one of these codes. The page of errors is made from
 * this list, and each error answer links to its entry there. Details of a call are in the message of the error.
 */
export const ERROR_CODES = {
  INVALID_REQUEST: {
    kinds: ['invalid_request'],
    means: 'A field, a header or the body itself is wrong. `param` names it.',
    remedy:
      'Change what the message names. If one change is enough, `fix` is your body with that change: send it unchanged.',
  },
  UNKNOWN_MODEL: {
    kinds: ['invalid_request', 'not_found'],
    means: 'This service has no model with this id. A quote answers 404, a paid route 400.',
    remedy:
      'Use an id from `GET /v1/agent/models`, or leave the model out for the default. `fix` has the nearest id.',
  },
  NOT_CAPABLE: {
    kinds: ['invalid_request'],
    means:
      'The model cannot fulfil a wish of the call, such as a seed or a mask. `param` names it. Nothing was held.',
    remedy:
      'The message lists the models that can. `capabilities` in `GET /v1/agent/models` says it of every model.',
  },
  PRICE_ABOVE_MAX: {
    kinds: ['invalid_request'],
    means: 'The call costs more than the `maxPriceMicro` that you sent with it. Nothing was held.',
    remedy:
      'The message names the price. Raise the cap, or ask for less: fewer seconds, a lower resolution, a smaller `max_tokens`.',
  },
  POLICY_BLOCKED: {
    kinds: ['policy_blocked'],
    means: 'The content policy of this service does not allow this request.',
    remedy: 'Ask for something else. The same words are always refused. Nothing is charged.',
  },
  INVALID_WALLET: {
    kinds: ['invalid_request'],
    means: 'The field is no address of a wallet.',
    remedy: 'Send `0x` and 40 hexadecimal digits.',
  },
  MEDIA_UNREACHABLE: {
    kinds: ['invalid_request'],
    means: 'A file that you named by its address could not be fetched from here.',
    remedy:
      'The address must be public, https, and answer without a sign-in. Or send the file itself, as a `data:` URI.',
  },
  MISSING_CREDENTIALS: {
    kinds: ['unauthenticated'],
    means: 'This route needs a credential, and the call has none.',
    remedy:
      'Send a key as `x-api-key`, or a wallet’s sign-in as `Sign-In-With-X`. `manageKeys` and `signIn` are the pages where people get one.',
  },
  KEY_NOT_FOUND: {
    kinds: ['unauthenticated'],
    means: 'There is no such key: it was deleted, or mistyped.',
    remedy: 'Make a new one at `manageKeys`. Keys are `lp_` and 64 letters and digits.',
  },
  KEY_EXPIRED: {
    kinds: ['unauthenticated', 'conflict'],
    means: 'This key has expired and can’t be revived.',
    remedy: 'Make a new one at `manageKeys`.',
  },
  KEY_DISABLED: {
    kinds: ['unauthenticated'],
    means: 'Its owner has switched this key off.',
    remedy: 'Switch it on at `manageKeys`, or use another key.',
  },
  ACCOUNT_BANNED: {
    kinds: ['unauthenticated'],
    means: 'The operator has closed this account.',
    remedy:
      'Write to the operator if you think that this is a mistake. Other keys of the account do not help.',
  },
  INVALID_SIGN_IN: {
    kinds: ['unauthenticated'],
    means: 'The wallet’s sign-in is malformed, too old, for another service, or not signed by that wallet.',
    remedy:
      'The message names the fault. Sign a new message with the present time, and check your clock: a sign-in is valid for minutes.',
  },
  INVALID_LOGIN: {
    kinds: ['unauthenticated'],
    means: 'The email address or the password is wrong.',
    remedy: 'Type them again. After many tries you have to wait.',
  },
  SECOND_FACTOR_REQUIRED: {
    kinds: ['unauthenticated'],
    means: 'The password is right, and this account has an authenticator app as well.',
    remedy: 'Send the same again with `code`: six digits of the app, or a recovery code.',
  },
  INVALID_CODE: {
    kinds: ['unauthenticated'],
    means: 'The code of the authenticator app is wrong or was used before, or so is the recovery code.',
    remedy: 'Wait for the next code. Check the clock of your phone.',
  },
  SECOND_FACTOR_ON: {
    kinds: ['conflict'],
    means: 'The account has an authenticator app already.',
    remedy: 'Remove it first, which needs a code of it.',
  },
  NO_SECOND_FACTOR: {
    kinds: ['conflict'],
    means: 'The account has no authenticator app, or its set-up took longer than 15 minutes.',
    remedy: 'Begin the set-up again.',
  },
  PASSKEY_REFUSED: {
    kinds: ['unauthenticated'],
    means: 'The passkey is unknown, belongs to another service, or answered an old or used challenge.',
    remedy: 'Ask for new options and try again, or sign in with the password.',
  },
  PASSKEYS_UNAVAILABLE: {
    kinds: ['conflict'],
    means:
      'The service has no host name, so browsers make no passkeys for it; or the account has ten passkeys.',
    remedy: 'The message says which. Open the service by its name, or remove a passkey.',
  },
  RESET_EXPIRED: {
    kinds: ['gone'],
    means: 'The link that sets a new password was used, is too old, or is incomplete.',
    remedy: 'Ask for a new one. The newest mail has it.',
  },
  PROOF_EXPIRED: {
    kinds: ['gone'],
    means: 'The link that proves an address is too old, incomplete, or for another account.',
    remedy: 'Sign in and ask for a new link: POST /v1/account/address-proof/mail.',
  },
  EMAIL_NOT_PROVEN: {
    kinds: ['forbidden'],
    means: 'Keys, invites, second factors, closing and top-ups need a proven email address.',
    remedy: 'Open the link of the mail that you got. POST /v1/account/address-proof/mail sends it again.',
  },
  NO_MAIL: {
    kinds: ['conflict'],
    means: 'This service sends no mail.',
    remedy: 'Ask its operator for a link that sets a new password.',
  },
  BALANCE_DIFFERS: {
    kinds: ['conflict'],
    means:
      'An account or an organisation with a balance is closed only if `leaveMicro` names the exact balance.',
    remedy: 'Read the message, and send its number if you want to leave that money behind.',
  },
  PAYMENT_REQUIRED: {
    kinds: ['payment_required'],
    means: 'The call is not paid yet. This answer contains the price; it is no failure.',
    remedy:
      'Sign the requirements in the header `PAYMENT-REQUIRED` and send the call again with `PAYMENT-SIGNATURE`; stock x402 clients do so. Or send a key, or a wallet’s sign-in.',
  },
  INVALID_PAYMENT: {
    kinds: ['payment_required'],
    means:
      'The payment can’t be accepted: another amount, already spent, expired, or for another call. It was not used.',
    remedy: 'The header has fresh requirements. Sign those.',
  },
  INSUFFICIENT_FUNDS: {
    kinds: ['payment_required'],
    means:
      'The balance, or the USDC of the wallet, does not cover the price. Some routes are only for owners who have paid before.',
    remedy:
      'Add money at `topUp`, then send the same call again. A wallet may also pay this one call with x402: the header has the requirements.',
  },
  KEY_SPEND_LIMIT: {
    kinds: ['payment_required'],
    means: 'The account has the money, but this key, or one above it, may not spend that much.',
    remedy:
      'Raise the limit of the key at `manageKeys`, take another key, or wait until old spending no longer counts.',
  },
  MEMBER_BUDGET: {
    kinds: ['payment_required'],
    means:
      'The organisation has the money, but the member who has the session, or made the key, has spent the budget of this month.',
    remedy: 'An owner or an admin raises the budget. A new month (UTC) begins at 0.',
  },
  KEY_SCOPE: {
    kinds: ['forbidden'],
    means:
      'The key works, but not for this: its scopes, or those of a key above it, exclude it. `param` names the scope.',
    remedy: 'Use a key that may, or ask its owner to change the scopes. The message names permitted uses.',
  },
  ADULTS_ONLY: {
    kinds: ['forbidden'],
    means: 'The model is for adults only, and the operator has not allowed this account or wallet to use it.',
    remedy: 'Use another model, or ask the operator to allow your account or wallet.',
  },
  ROLE_REQUIRED: {
    kinds: ['forbidden'],
    means: 'You are a member of this organisation, but your role may not do this.',
    remedy: 'The message names the permitted roles. Ask an owner, or act for another organisation.',
  },
  OWN_ROLE: {
    kinds: ['conflict'],
    means: 'Nobody can change their own role.',
    remedy: 'Ask another owner to change it, or leave.',
  },
  LAST_OWNER: {
    kinds: ['conflict'],
    means: 'An organisation always has an owner. The owner of a person’s own organisation is that person.',
    remedy: 'Make somebody else an owner first. Your own organisation is your account and stays with you.',
  },
  ALREADY_MEMBER: {
    kinds: ['conflict'],
    means: 'The invited person is a member already. An unused invite stays valid.',
    remedy: 'Change the role of the member instead.',
  },
  INVITE_EXPIRED: {
    kinds: ['gone'],
    means: 'The invite was used or withdrawn, is over a week old, or its sender may no longer invite.',
    remedy: 'Ask for a new one.',
  },
  INVITE_ADDRESS: {
    kinds: ['forbidden'],
    means: 'The invite is for another email address than the one that you are signed in with.',
    remedy: 'Sign in with the address that was invited, or ask for an invite for yours.',
  },
  TOO_MANY_MEMBERS: {
    kinds: ['conflict'],
    means: 'The organisation has a hundred members and open invites.',
    remedy: 'Remove a member or withdraw an invite first.',
  },
  TOO_MANY_ORGANISATIONS: {
    kinds: ['conflict'],
    means: 'You own as many organisations as one person can.',
    remedy: 'Use one that you have, or leave one that others own as well.',
  },
  ADMIN_SCOPE: {
    kinds: ['forbidden'],
    means: 'The operator’s token lacks the scope for this. `param` names it.',
    remedy: 'Ask an operator with this scope, or the administrator of ADMIN_TOKENS.',
  },
  TOO_MANY_KEYS: {
    kinds: ['conflict'],
    means: 'The owner of the keys already has a hundred working ones.',
    remedy: 'Delete one that is no longer used, or wait until one expires.',
  },
  ORIGIN_MISMATCH: {
    kinds: ['forbidden'],
    means: 'A changing call of a browser came from another site.',
    remedy: 'Use a key from programs. The session of a person works on the pages of this service alone.',
  },
  NOT_FOUND: {
    kinds: ['not_found'],
    means:
      'There is nothing at this address or with this id, or it is not yours. Unpaid work gets the same answer.',
    remedy: 'Check the spelling. Ids of other owners and unknown ids get the same answer.',
  },
  METHOD_NOT_ALLOWED: {
    kinds: ['method_not_allowed'],
    means: 'The address is right, its method is not.',
    remedy: 'Use one of the header `Allow`.',
  },
  BODY_TOO_SLOW: {
    kinds: ['too_slow'],
    means: 'A large body arrived so slowly that it lost its slot to a waiting one.',
    remedy: 'Send it again at 32 KB a second or more, or name media by their address instead.',
  },
  EMAIL_TAKEN: {
    kinds: ['conflict'],
    means: 'There is an account with this email address.',
    remedy: 'Sign in instead.',
  },
  ALREADY_RESOLVED: {
    kinds: ['conflict'],
    means: 'An operator has already decided something else about this payment.',
    remedy: 'Read the audit. A payment is decided once.',
  },
  IDEMPOTENCY_MISMATCH: {
    kinds: ['mismatch', 'conflict'],
    means: 'This `Idempotency-Key` (422) or `payment-identifier` (409) was used for another call before.',
    remedy: 'Use a new one for a new call. To repeat the old call, send the very same body.',
  },
  IDEMPOTENCY_IN_FLIGHT: {
    kinds: ['conflict'],
    means: 'The first call with this idempotency key still runs.',
    remedy:
      'Wait for `Retry-After` and send the same call again: it gets the answer of the first. It is charged once.',
  },
  CHANNEL_BUSY: {
    kinds: ['conflict'],
    means: 'Another call of the same payment channel still runs. A channel runs one call at a time.',
    remedy: 'Wait for `Retry-After` and send the call again, or open a second channel with another salt.',
  },
  REPLAY_EXPIRED: {
    kinds: ['gone'],
    means: 'This call was answered and charged before, and its answer is no longer kept.',
    remedy:
      '`X-Charge-Id` leads to the receipt. To make it again, use a new idempotency key: that is a new charge.',
  },
  QUOTE_EXPIRED: {
    kinds: ['conflict'],
    means: 'The quote is no longer valid.',
    remedy: 'Ask for a new one. It is free.',
  },
  QUOTE_MISMATCH: {
    kinds: ['conflict'],
    means: 'The quote was made for another input, another wallet, or another price class than this call.',
    remedy:
      'Quote the call that you send, with the same credential: the same model, seconds, resolution or length, and the same `payer`.',
  },
  VIDEO_NOT_READY: {
    kinds: ['conflict'],
    means: 'The video is still being made.',
    remedy: 'Ask `GET /v1/agent/videos/{id}` with `Prefer: wait=60`: it answers when the video is done.',
  },
  JOB_FAILED: {
    kinds: ['gone'],
    means: 'The work failed after it was accepted, so there is no file.',
    remedy:
      'Its money is refunded automatically; `chargeState` of the job shows when. Make a new call if you still want it.',
  },
  CURSOR_EXPIRED: {
    kinds: ['gone'],
    means: 'The cursor is older than the kept events.',
    remedy: 'Read without a cursor, and check your jobs and your balance for missed changes.',
  },
  CANCEL_TOO_LATE: {
    kinds: ['conflict'],
    means: 'The job has ended, or its provider already bills it.',
    remedy: 'Let it run to its end. `cancellable` of a job shows beforehand whether it can be stopped.',
  },
  PAYLOAD_TOO_LARGE: {
    kinds: ['too_large', 'invalid_request'],
    means:
      'The body is larger than this route takes (413), or one file is larger than its field takes (400, with `param`).',
    remedy: 'Make it smaller, or name the file by its address.',
  },
  UNSUPPORTED_MEDIA: {
    kinds: ['unsupported_media'],
    means: 'The body is no JSON, or the file is of an unsupported kind.',
    remedy:
      'Send `content-type: application/json` and UTF-8. Images are PNG, JPEG, WebP, GIF or AVIF; videos MP4, MOV or WebM.',
  },
  MEDIA_REJECTED: {
    kinds: ['media_rejected'],
    means: 'The content policy does not allow this image or video. Nothing of it was kept.',
    remedy: 'Use another one.',
  },
  LIBRARY_FULL: {
    kinds: ['full'],
    means: 'Your library is full.',
    remedy: 'Delete one, then add this. Waiting does not help.',
  },
  RATE_LIMITED: {
    kinds: ['rate_limited'],
    means: 'Too many calls in a minute, or too many open streams, by you or from your address.',
    remedy:
      'Wait for `Retry-After` seconds. `RateLimit-Remaining` and `RateLimit-Reset` of every answer show it beforehand.',
  },
  REGION_UNAVAILABLE: {
    kinds: ['region'],
    means: 'The service may not be used from the region of this call.',
    remedy: 'No change of the call helps.',
  },
  WALLET_BLOCKED: {
    kinds: ['region'],
    means: 'This wallet is on a list of sanctions, so the service may take no payment from it.',
    remedy: 'No change of the call helps.',
  },
  TOO_MANY_WEBHOOKS: {
    kinds: ['conflict'],
    means: 'You have as many webhook endpoints as allowed.',
    remedy: 'Delete one, then add this.',
  },
  TOO_MANY_BATCHES: {
    kinds: ['conflict'],
    means: 'You have as many open batches, or keep as many files, as one owner may.',
    remedy: 'Wait until a batch has ended or cancel one, or delete files that you no longer need.',
  },
  FILE_IN_USE: {
    kinds: ['conflict'],
    means: 'An open batch works from this file.',
    remedy: 'Cancel the batch, or wait until it has ended.',
  },
  WEBHOOK_DISABLED: {
    kinds: ['conflict'],
    means: 'The endpoint is switched off, by you or because it failed for a day, so nothing is sent there.',
    remedy: '`PATCH` it with `enabled: true`, then replay the missed events.',
  },
  NOT_OFFERED: {
    kinds: ['not_sold'],
    means: 'This service has no model of that kind.',
    remedy: 'Neither a retry nor another model helps. `GET /v1/agent/models` lists the models.',
  },
  PROVIDER_ERROR: {
    kinds: ['provider'],
    means: 'The model refused or failed this call. Nothing was charged.',
    remedy: 'Send it again, change the prompt, or use another model.',
  },
  PROVIDER_UNAVAILABLE: {
    kinds: ['unavailable'],
    means:
      'A part that the call needs does not answer: a model, a store, or room for large bodies. Nothing was charged, or it is still unknown whether the work was accepted.',
    remedy: 'Send the very same call again after `Retry-After`, with the same `Idempotency-Key` or payment.',
  },
  NO_SAVED_CARD: {
    kinds: ['conflict'],
    means: 'Automatic top-ups charge a saved card, and this account or organisation has none.',
    remedy: 'Save a card first, at the page that `saveCard` opens.',
  },
  PAYMENT_UNAVAILABLE: {
    kinds: ['unavailable'],
    means: 'Payments can’t be verified now. Nothing was taken.',
    remedy: 'Send the very same call again after `Retry-After`. Sign no second payment.',
  },
  SETTLEMENT_PENDING: {
    kinds: ['unavailable'],
    means: 'The outcome of the payment, or of the work, is still unknown.',
    remedy:
      'Send the very same call again after `Retry-After`: it is never charged twice. `X-Charge-Id` leads to the receipt. **Never pay again.**',
  },
  UNAUTHORIZED: {
    kinds: ['unauthenticated'],
    means: 'A module of this operator needs a credential.',
    remedy: 'The message names it.',
  },
  FORBIDDEN: {
    kinds: ['forbidden'],
    means: 'A module of this operator does not allow this call.',
    remedy: 'The message explains it. A retry does not help.',
  },
  CONFLICT: {
    kinds: ['conflict'],
    means: 'A module of this operator can’t do this in the present state.',
    remedy: 'The message names the conflict.',
  },
  GONE: {
    kinds: ['gone'],
    means: 'A module of this operator no longer has this object.',
    remedy: 'Ask for something else.',
  },
  UNPROCESSABLE: {
    kinds: ['unprocessable'],
    means: 'A module of this operator understands the call but can’t carry it out.',
    remedy: 'Change what the message names.',
  },
  UNAVAILABLE: {
    kinds: ['unavailable'],
    means: 'A module of this operator is unavailable for the moment.',
    remedy: 'Send the call again later.',
  },
  REQUEST_FAILED: {
    kinds: ['invalid_request', 'internal'],
    means: 'A module of this operator refuses the call with its own status.',
    remedy: 'The status and the message explain it.',
  },
  INTERNAL: {
    kinds: ['internal', 'unavailable'],
    means: 'The service failed (500), or a part of it is unavailable for a moment (503).',
    remedy: 'Send the same call again. If the error remains, send the `requestId` to the operator.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The page of a code, relative to the address of a service. */
export const docsOf = (publicUrl: string, code: string): string => `${publicUrl}/guides/errors#${code}`;
