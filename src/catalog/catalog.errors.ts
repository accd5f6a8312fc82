import { AppError } from '../kernel/app-error';

const nearestTo = (id: string, ids: readonly string[]): string | undefined =>
  ids.find((known) => known.includes(id) || id.includes(known));

/** On a paid route an unknown model is a bad request; on a quote the model is the thing asked for, and isn't there. */
export class UnknownModel extends AppError {
  readonly code = 'UNKNOWN_MODEL';

  constructor(
    id: string,
    known: readonly string[],
    param: string,
    readonly kind: 'invalid_request' | 'not_found' = 'invalid_request',
  ) {
    const near = nearestTo(id, known);
    super(
      `There is no model ${id.slice(0, 100)}.${near === undefined ? '' : ` Did you mean ${near}?`} ` +
        `GET /v1/agent/models lists them all.`,
      { param },
    );
  }
}

/** A value that the model hasn't; says what it has, and the nearest. */
export class NotOffered extends AppError {
  readonly kind = 'invalid_request';
  readonly code = 'INVALID_REQUEST';

  constructor(
    field: string,
    model: string,
    offered: readonly (string | number)[],
    nearest?: string | number,
  ) {
    super(
      offered.length === 0
        ? `${model} takes no ${field}; leave it out.`
        : `${field} of ${model} must be one of ${offered.join(', ')}.` +
            (nearest === undefined ? '' : ` The nearest is ${nearest}.`),
      { param: field },
    );
  }
}

export class TooDear extends AppError {
  readonly kind = 'invalid_request';
  readonly code = 'INVALID_REQUEST';

  constructor(param: string) {
    super('This call would cost more than any call may. Ask for a shorter or smaller result.', { param });
  }
}
