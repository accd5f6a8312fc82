/** The kind of a failure, in the caller's terms. The error filter has the one table from kind to status. */
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
  /** The possible kinds of the code: its statuses follow from them. */
  readonly kinds: readonly ErrorKind[];
  readonly means: string;
  /** The remedy for the caller. */
  readonly mend: string;
}

/**
 * Every error code, with its meaning and remedy. An `AppError` has no other code, the page of errors is made of this
 * list, and each error answer links to its entry there. The message of an error has the details of the call.
 */
export const ERROR_CODES = {
  INVALID_REQUEST: {
    kinds: ['invalid_request'],
    means: 'A field, a header or the body itself is wrong. `param` names it.',
    mend: 'Change what the message says. Where one change is enough, `fix` is your body with that change: send it as it is.',
  },
  UNKNOWN_MODEL: {
    kinds: ['invalid_request', 'not_found'],
    means: 'There is no model with this id here. A quote says so with 404, a paid route with 400.',
    mend: 'Take an id from `GET /v1/agent/models`, or leave the model out to get the default. `fix` has the id that is closest.',
  },
  PRICE_ABOVE_MAX: {
    kinds: ['invalid_request'],
    means: 'The call costs more than the `maxPriceMicro` that you sent with it. Nothing was held.',
    mend: 'The message names the price. Raise the cap, or ask for less: fewer seconds, a lower resolution, a smaller `max_tokens`.',
  },
  POLICY_BLOCKED: {
    kinds: ['policy_blocked'],
    means: 'The content policy of this service does not allow what was asked for.',
    mend: 'Ask for something else. The same words are refused each time; nothing is charged for it.',
  },
  INVALID_WALLET: {
    kinds: ['invalid_request'],
    means: 'The address of a wallet is not one.',
    mend: 'Send `0x` and 40 hexadecimal digits.',
  },
  MEDIA_UNREACHABLE: {
    kinds: ['invalid_request'],
    means: 'A file that you named by its address could not be fetched from here.',
    mend: 'The address must be public, https, and answer without a sign-in. Or send the file itself, as a `data:` URI.',
  },
  MISSING_CREDENTIALS: {
    kinds: ['unauthenticated'],
    means: 'This address wants to know who asks, and nobody said.',
    mend: 'Send a key as `x-api-key`, or a wallet’s sign-in as `Sign-In-With-X`. `manageKeys` and `signIn` say where people get one.',
  },
  KEY_NOT_FOUND: {
    kinds: ['unauthenticated'],
    means: 'There is no such key: it was deleted, or mistyped.',
    mend: 'Make a new one at `manageKeys`. Keys are `lp_` and 64 letters and digits.',
  },
  KEY_EXPIRED: {
    kinds: ['unauthenticated', 'conflict'],
    means: 'The time of this key is over. It can not be revived.',
    mend: 'Make a new one at `manageKeys`.',
  },
  KEY_DISABLED: {
    kinds: ['unauthenticated'],
    means: 'Its owner has switched this key off.',
    mend: 'Switch it on at `manageKeys`, or take another.',
  },
  ACCOUNT_BANNED: {
    kinds: ['unauthenticated'],
    means: 'The operator has closed this account.',
    mend: 'Write to the operator if you think that this is a mistake. Other keys of the account do not help.',
  },
  INVALID_SIGN_IN: {
    kinds: ['unauthenticated'],
    means: 'The wallet’s sign-in is malformed, too old, for another service, or not signed by that wallet.',
    mend: 'The message says which. Sign a new message with the time of now, and look at your clock: a sign-in is good for minutes.',
  },
  INVALID_LOGIN: {
    kinds: ['unauthenticated'],
    means: 'The email address or the password is wrong.',
    mend: 'Type them again. After many tries you are told to wait.',
  },
  PAYMENT_REQUIRED: {
    kinds: ['payment_required'],
    means: 'Nobody has paid yet. This is how a price is told, and not a failure.',
    mend: 'Sign what the header `PAYMENT-REQUIRED` asks for and send the call again with `PAYMENT-SIGNATURE`; stock x402 clients do it by themselves. Or send a key, or a wallet’s sign-in.',
  },
  INVALID_PAYMENT: {
    kinds: ['payment_required'],
    means:
      'A payment came that can’t be taken: another amount, spent before, expired, or for another call. It was not used.',
    mend: 'The header has fresh requirements. Sign those.',
  },
  INSUFFICIENT_FUNDS: {
    kinds: ['payment_required'],
    means:
      'The balance, or the USDC of the wallet, does not cover the price. Some routes are only for those who have paid once.',
    mend: 'Add money at `topUp`, then send the same call again. A wallet may also pay this one call with x402: the header says what.',
  },
  KEY_SPEND_LIMIT: {
    kinds: ['payment_required'],
    means: 'The account has the money, but this key, or one above it, may not spend so much.',
    mend: 'Raise the limit of the key at `manageKeys`, take another key, or wait until old spending no longer counts.',
  },
  KEY_SCOPE: {
    kinds: ['forbidden'],
    means:
      'The key works, but not for this: its scopes, or those of a key above it, leave it out. `param` names the scope.',
    mend: 'Take a key that may, or have its owner change the scopes. The message says what would pass.',
  },
  ROLE_REQUIRED: {
    kinds: ['forbidden'],
    means: 'You are a member of this organisation, and your role there may not do this.',
    mend: 'The message names the roles that may. Ask one of the owners, or act for another organisation.',
  },
  OWN_ROLE: {
    kinds: ['conflict'],
    means: 'Nobody gives a role to themselves, whatever theirs is.',
    mend: 'Have another owner change it, or leave.',
  },
  LAST_OWNER: {
    kinds: ['conflict'],
    means: 'An organisation always has an owner, and a person’s own has that person.',
    mend: 'Make somebody else an owner first. Your own organisation is your account and stays with you.',
  },
  ALREADY_MEMBER: {
    kinds: ['conflict'],
    means: 'Whoever was invited is a member already. An invite that was not used stays good.',
    mend: 'Change the role of the member instead.',
  },
  INVITE_EXPIRED: {
    kinds: ['gone'],
    means: 'The invite was used, withdrawn, or is over a week old, or whoever sent it may no longer invite.',
    mend: 'Ask for a new one.',
  },
  INVITE_ADDRESS: {
    kinds: ['forbidden'],
    means: 'The invite is for another email address than the one that you are signed in with.',
    mend: 'Sign in with the address that was invited, or ask for an invite for yours.',
  },
  TOO_MANY_MEMBERS: {
    kinds: ['conflict'],
    means: 'The organisation has a hundred members and open invites.',
    mend: 'Remove a member or withdraw an invite first.',
  },
  TOO_MANY_ORGANISATIONS: {
    kinds: ['conflict'],
    means: 'You own as many organisations as one person can.',
    mend: 'Use one that you have, or leave one that others own as well.',
  },
  ADMIN_SCOPE: {
    kinds: ['forbidden'],
    means: 'The token is that of an operator who may do other things, but not this. `param` names the scope.',
    mend: 'Ask an operator who may, or whoever sets ADMIN_TOKENS.',
  },
  TOO_MANY_KEYS: {
    kinds: ['conflict'],
    means: 'Whoever owns the keys has a hundred that work already.',
    mend: 'Delete one that is no longer used, or wait until one expires.',
  },
  ORIGIN_MISMATCH: {
    kinds: ['forbidden'],
    means: 'A call of a browser that changes something came from another site than this one.',
    mend: 'Use a key from programs. The session of a person works on the pages of this service alone.',
  },
  NOT_FOUND: {
    kinds: ['not_found'],
    means:
      'There is nothing at this address or under this id, or it is not yours. Work that is not paid yet answers the same.',
    mend: 'Look at the spelling. Ids of other owners and ids that never were can’t be told apart.',
  },
  METHOD_NOT_ALLOWED: {
    kinds: ['method_not_allowed'],
    means: 'The address is right, its method is not.',
    mend: 'Take one that the header `Allow` names.',
  },
  BODY_TOO_SLOW: {
    kinds: ['too_slow'],
    means: 'A large body came so slowly that its place went to somebody who waited.',
    mend: 'Send it again at 32 KB a second or more, or name media by their address instead.',
  },
  EMAIL_TAKEN: {
    kinds: ['conflict'],
    means: 'There is an account with this email address.',
    mend: 'Sign in instead.',
  },
  ALREADY_RESOLVED: {
    kinds: ['conflict'],
    means: 'An operator has already decided something else about this payment.',
    mend: 'Read the audit. It is not decided twice.',
  },
  IDEMPOTENCY_MISMATCH: {
    kinds: ['mismatch', 'conflict'],
    means: 'This `Idempotency-Key` (422) or `payment-identifier` (409) was used for another call before.',
    mend: 'Use a new one for a new call. To repeat the old call, send the very same body.',
  },
  IDEMPOTENCY_IN_FLIGHT: {
    kinds: ['conflict'],
    means: 'The first call with this mark still runs.',
    mend: 'Wait for `Retry-After` and send the same call again: it gets the answer of the first. It is charged once.',
  },
  REPLAY_EXPIRED: {
    kinds: ['gone'],
    means: 'This call was answered and charged before, and its answer is no longer kept.',
    mend: '`X-Charge-Id` leads to the receipt. To have it made anew, use a new mark: that is a new charge.',
  },
  QUOTE_EXPIRED: {
    kinds: ['conflict'],
    means: 'The quote is no longer good.',
    mend: 'Ask for a new one. It is free.',
  },
  QUOTE_MISMATCH: {
    kinds: ['conflict'],
    means: 'The quote was made for another input, or for another wallet, than this call.',
    mend: 'Quote what you send: the same model, seconds, resolution or length, and the `payer` who pays.',
  },
  VIDEO_NOT_READY: {
    kinds: ['conflict'],
    means: 'The video is still being made.',
    mend: 'Ask `GET /v1/agent/videos/{id}` with `Prefer: wait=60`: it answers when it is done.',
  },
  JOB_FAILED: {
    kinds: ['gone'],
    means: 'The work failed after it was accepted, so there is no file.',
    mend: 'Its money comes back by itself; `chargeState` of the job says when. Make a new call if you still want it.',
  },
  CURSOR_EXPIRED: {
    kinds: ['gone'],
    means: 'You were away for longer than events are kept.',
    mend: 'Read without a cursor, and look at your jobs and your balance for what you missed.',
  },
  CANCEL_TOO_LATE: {
    kinds: ['conflict'],
    means: 'The job has ended, or somebody has already begun to bill for it.',
    mend: 'Let it run to its end. `cancellable` of a job says beforehand whether it can be stopped.',
  },
  PAYLOAD_TOO_LARGE: {
    kinds: ['too_large', 'invalid_request'],
    means:
      'The body is larger than this route takes (413), or one file is larger than its field takes (400, with `param`).',
    mend: 'Make it smaller, or name the file by its address.',
  },
  UNSUPPORTED_MEDIA: {
    kinds: ['unsupported_media'],
    means: 'The body is no JSON, or a file is of a kind that is not taken here.',
    mend: 'Send `content-type: application/json` and UTF-8. Images are PNG, JPEG, WebP, GIF or AVIF; videos MP4, MOV or WebM.',
  },
  MEDIA_REJECTED: {
    kinds: ['media_rejected'],
    means: 'The content policy does not allow this image or video. Nothing of it was kept.',
    mend: 'Use another one.',
  },
  LIBRARY_FULL: {
    kinds: ['full'],
    means: 'Your library holds as many references as it can.',
    mend: 'Delete one, then add this. Waiting does not help.',
  },
  RATE_LIMITED: {
    kinds: ['rate_limited'],
    means: 'Too many calls in a minute, or too many open streams, by you or from your address.',
    mend: 'Wait for `Retry-After` seconds. `RateLimit-Remaining` and `RateLimit-Reset` of every answer tell it beforehand.',
  },
  REGION_UNAVAILABLE: {
    kinds: ['region'],
    means: 'The service may not be used from where this call comes from.',
    mend: 'There is nothing to mend in the call.',
  },
  WALLET_BLOCKED: {
    kinds: ['region'],
    means: 'This wallet stands on a list of sanctions, so nothing may be taken from it.',
    mend: 'There is nothing to mend in the call.',
  },
  TOO_MANY_WEBHOOKS: {
    kinds: ['conflict'],
    means: 'You have as many webhook endpoints as there can be.',
    mend: 'Delete one, then add this.',
  },
  WEBHOOK_DISABLED: {
    kinds: ['conflict'],
    means: 'The endpoint is switched off, by you or because it failed for a day, so nothing is sent there.',
    mend: '`PATCH` it with `enabled: true`, then replay what you missed.',
  },
  NOT_OFFERED: {
    kinds: ['not_sold'],
    means: 'This service has no model of that kind at all.',
    mend: 'Neither another try nor another model helps. `GET /v1/agent/models` lists what there is.',
  },
  PROVIDER_ERROR: {
    kinds: ['provider'],
    means: 'The model refused or failed this call. Nothing was charged.',
    mend: 'Send it again, change the prompt, or take another model.',
  },
  PROVIDER_UNAVAILABLE: {
    kinds: ['unavailable'],
    means:
      'Something that the call needs does not answer just now: a model, a store, or room for large bodies. Nothing was charged, or it is not known yet whether the work was taken.',
    mend: 'Send the very same call again after `Retry-After`, with the same `Idempotency-Key` or payment.',
  },
  PAYMENT_UNAVAILABLE: {
    kinds: ['unavailable'],
    means: 'Payments can’t be checked just now. Nothing was taken.',
    mend: 'Send the very same call again after `Retry-After`. Sign no second payment.',
  },
  SETTLEMENT_PENDING: {
    kinds: ['unavailable'],
    means: 'The payment, or the work, is under way, and its outcome is not known yet.',
    mend: 'Send the very same call again after `Retry-After`: it is never charged twice. `X-Charge-Id` leads to the receipt. **Never pay anew.**',
  },
  UNAUTHORIZED: {
    kinds: ['unauthenticated'],
    means: 'A part that this operator added wants to know who asks.',
    mend: 'The message says what it takes.',
  },
  FORBIDDEN: {
    kinds: ['forbidden'],
    means: 'A part that this operator added does not allow this call.',
    mend: 'The message says why. Sending the call again does not help.',
  },
  CONFLICT: {
    kinds: ['conflict'],
    means: 'A part that this operator added can not do this in the present state of things.',
    mend: 'The message says what is in the way.',
  },
  GONE: {
    kinds: ['gone'],
    means: 'A part that this operator added had it once, and no longer has it.',
    mend: 'Ask for something else.',
  },
  UNPROCESSABLE: {
    kinds: ['unprocessable'],
    means: 'A part that this operator added understands the call and can not carry it out.',
    mend: 'Change what the message says.',
  },
  UNAVAILABLE: {
    kinds: ['unavailable'],
    means: 'A part that this operator added is away for the moment.',
    mend: 'Send the call again later.',
  },
  REQUEST_FAILED: {
    kinds: ['invalid_request', 'internal'],
    means: 'A part that this operator added refuses the call with a status of its own.',
    mend: 'The status and the message say why.',
  },
  INTERNAL: {
    kinds: ['internal', 'unavailable'],
    means: 'Something went wrong on our side (500), or is away for a moment (503).',
    mend: 'Send the same call again. If it stays, tell the operator the `requestId`.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The page of a code, below the address of a service. */
export const docsOf = (publicUrl: string, code: string): string => `${publicUrl}/guides/errors#${code}`;
