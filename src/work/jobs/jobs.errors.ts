import { defineError } from '#kernel/app-error';
import { errorCode } from '#kernel/error-code';

/** The job has ended, its provider bills it or does not answer, or its money would not be refunded. */
export const CancelTooLate = defineError(
  errorCode('CANCEL_TOO_LATE', 'conflict', {
    means: 'The job has ended, or its provider already bills it.',
    remedy: 'Let it run to its end. `cancellable` of a job shows beforehand whether it can be stopped.',
  }),
  'This job cannot be cancelled any more. If it still runs, it runs to its end.',
);
