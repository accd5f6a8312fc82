import { defineError } from '#kernel/app-error';
import { errorCode } from '#kernel/error-code';

export const NoSampleVoucher = defineError(
  errorCode('NO_SAMPLE_VOUCHER', 'unauthenticated', {
    means: 'The header `X-Sample-Voucher` has no valid code.',
    remedy: 'Copy the whole code, without spaces.',
  }),
  'This is not a valid code: codes are sample_voucher_ and 24 letters and digits, sent as X-Sample-Voucher.',
);
