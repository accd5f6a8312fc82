import { defineError } from '#kernel/app-error';
import { errorCode } from '#kernel/error-code';

export const InvalidWallet = defineError(
  errorCode('INVALID_WALLET', 'invalid_request', {
    means: 'The field is no address of a wallet.',
    remedy: 'Send `0x` and 40 hexadecimal digits.',
  }),
  'A wallet is 0x and 40 hexadecimal digits.',
  { param: 'wallet' },
);
