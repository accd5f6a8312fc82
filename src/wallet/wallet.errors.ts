import { AppError } from '../kernel/app-error';

export class InvalidWallet extends AppError {
  readonly kind = 'invalid_request';
  readonly code = 'INVALID_WALLET';

  constructor() {
    super('A wallet is 0x and 40 hexadecimal digits.', { param: 'wallet' });
  }
}
