import { defineError } from '#kernel/app-error';
import { INSUFFICIENT_FUNDS } from '#money/billing/charges/funds.errors';
import { errorCode } from '#kernel/error-code';
import { PAYLOAD_TOO_LARGE } from '#kernel/common-codes';

/** An owner keeps a limited number of files, and has a limited number of open batches. */
export const TooManyBatches = defineError(
  errorCode('TOO_MANY_BATCHES', 'conflict', {
    means: 'You have as many open batches, or keep as many files, as one owner may.',
    remedy: 'Wait until a batch has ended or cancel one, or delete files that you no longer need.',
  }),
);

/** An open batch works from the file. */
export const FileInUse = defineError(
  errorCode('FILE_IN_USE', 'conflict', {
    means: 'An open batch works from this file.',
    remedy: 'Cancel the batch, or wait until it has ended.',
  }),
  'A batch works from this file. Cancel the batch, or wait until it has ended.',
);

/** Files are stored for owners who have paid before. */
export const FilesNotFree = defineError(INSUFFICIENT_FUNDS, (topUp: string) => ({
  message: 'Files are only for owners who have paid before. Top up any amount, then send it again.',
  links: { topUp },
}));

export const FileTooLarge = defineError(
  PAYLOAD_TOO_LARGE,
  'A file has at most 50 MB. Split it into several batches.',
  { param: 'file' },
);
