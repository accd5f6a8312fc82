import { AppError } from '../kernel/app-error';

export class NotAnAdmin extends AppError {
  readonly kind = 'unauthenticated';
  readonly code = 'MISSING_CREDENTIALS';

  constructor() {
    super(
      'This needs Authorization: Bearer with the token of an operator: see ADMIN_TOKEN and ADMIN_TOKENS.',
    );
  }
}

/** The operator's token lacks this scope. */
export class NotInAdminScope extends AppError {
  readonly kind = 'forbidden';
  readonly code = 'ADMIN_SCOPE';

  constructor(name: string, scope: string) {
    super(`The operator ${name} lacks the scope ${scope}: see ADMIN_TOKENS.`, {
      param: scope,
    });
  }
}

/** The audit already has a decision about this payment, and decisions are final. */
export class AlreadyResolved extends AppError {
  readonly kind = 'conflict';
  readonly code = 'ALREADY_RESOLVED';

  constructor() {
    super('There is already another decision about this payment: see GET /v1/admin/audit.');
  }
}
