import { InvalidRequest } from '#kernel/app-error';

export class BadStatementTime extends InvalidRequest {
  constructor(param: string) {
    super(`${param} must be a time such as 2026-01-31T00:00:00Z, and from must not be later than to.`, {
      param,
    });
  }
}
