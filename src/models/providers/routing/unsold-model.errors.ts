import { type AppError, defineError } from '#kernel/app-error';
import { errorCode } from '#kernel/error-code';

export const NOT_OFFERED = errorCode('NOT_OFFERED', ['not_sold', 'not_found'], {
  means: 'This service has no model of that kind. A look-up of the model answers 404, other routes 503.',
  remedy: 'Neither a retry nor another model helps. `GET /v1/agent/models` lists the models.',
});

/** An operator has left a model out, or switched it or all its routes off, its price waits, or no vendor has it. */
export class NothingServes extends defineError(NOT_OFFERED) {
  constructor(id = 'This model', kind: RefusedKind = 'not_sold') {
    super(`${id} is not sold at the moment. ${chargedNothing(kind)}${LISTED}`, { kind });
  }
}

interface RetiredModel {
  readonly id?: string;
  readonly isListed?: boolean;
  readonly retiresOn?: string;
  readonly replacedBy?: string;
}

const LISTED = 'GET /v1/agent/models lists what there is.';

/** A look-up never costs anything, so its answer does not say so. */
type RefusedKind = 'not_sold' | 'not_found';
const chargedNothing = (kind: string): string => (kind === 'not_found' ? '' : 'Nothing was charged; ');

const retiredAs = <Kind extends string>(
  { id = 'This model', retiresOn = 'an earlier day', replacedBy }: RetiredModel,
  kind: Kind,
) => {
  const instead =
    replacedBy === undefined ? LISTED : `${kind === 'not_found' ? 'Use' : 'use'} ${replacedBy} instead.`;
  return {
    message: `${id} retired on ${retiresOn}. ${chargedNothing(kind)}${instead}`,
    extras: { kind, ...(replacedBy === undefined ? {} : { body: { replacedBy } }) },
  };
};

/** A model of the catalog file is retired. */
export class EntryRetired extends defineError(NOT_OFFERED) {
  constructor(model: RetiredModel) {
    const { message, extras } = retiredAs(model, 'not_sold');
    super(message, extras);
  }
}

/**
 * The vendors' lists do not have the model any more, or its maker's last day for it has passed. A look-up answers so
 * for every retired model.
 */
export class ModelRetired extends defineError(
  errorCode('MODEL_RETIRED', ['gone', 'not_found'], {
    means:
      'The model is no longer made. Nothing was charged. A look-up of the model answers 404, other routes 410.',
    remedy:
      'A retry does not help. Use the model that `replacedBy` names, or one from `GET /v1/agent/models`.',
  }),
) {
  constructor(model: RetiredModel, kind: 'gone' | 'not_found' = 'gone') {
    const { message, extras } = retiredAs(model, kind);
    super(message, extras);
  }
}

/** The error for new work, or for a look-up, of a model whose last day has passed. */
export const retired = (model: RetiredModel, kind: RefusedKind = 'not_sold'): AppError => {
  if (kind === 'not_found') return new ModelRetired(model, kind);
  return model.isListed === true ? new ModelRetired(model) : new EntryRetired(model);
};
