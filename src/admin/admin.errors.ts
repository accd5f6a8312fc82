import { AppError } from '../kernel/app-error';

export class NotAnAdmin extends AppError {
  readonly kind = 'unauthenticated';
  readonly code = 'MISSING_CREDENTIALS';

  constructor() {
    super('This needs Authorization: Bearer with the ADMIN_TOKEN of this service.');
  }
}
