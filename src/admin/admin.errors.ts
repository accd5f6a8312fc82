import { AppError } from '../kernel/app-error';

export class NotAnAdmin extends AppError {
  readonly kind = 'unauthenticated';
  readonly code = 'MISSING_CREDENTIALS';

  constructor() {
    super('This needs Authorization: Bearer with the ADMIN_TOKEN of this service.');
  }
}

/** What was decided about a payment stands in the audit, and is not decided again. */
export class AlreadyResolved extends AppError {
  readonly kind = 'conflict';
  readonly code = 'ALREADY_RESOLVED';

  constructor() {
    super('Something else was decided about this payment before: GET /v1/admin/audit shows what.');
  }
}
