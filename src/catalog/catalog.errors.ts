import { AppError } from '../kernel/app-error';
import { nearestOf, similarTo } from '../kernel/nearest';

/** The kinds of models that a service sells. */
export type ProductLine = 'text' | 'media' | 'audio';

/** An unknown model is a 400 on a paid route. On a quote, it is a 404, because the model is the requested object. */
export class UnknownModel extends AppError {
  readonly code = 'UNKNOWN_MODEL';

  constructor(
    id: string,
    known: readonly string[],
    param: string,
    readonly kind: 'invalid_request' | 'not_found' = 'invalid_request',
  ) {
    const near = known.find((one) => one.includes(id) || id.includes(one)) ?? similarTo(id, known);
    super(
      `There is no model ${id.slice(0, 100)}.${near === undefined ? '' : ` Did you mean ${near}?`} ` +
        `GET /v1/agent/models lists them all.`,
      { param, remedies: [...(near === undefined ? [] : [{ param, value: near }]), { param }] },
    );
  }
}

/** This service sells no model of this kind, so neither a retry nor another model helps. */
export class NotSold extends AppError {
  readonly kind = 'not_sold';
  readonly code = 'NOT_OFFERED';

  constructor(line: ProductLine) {
    super(`This service sells no ${line}. Nothing was charged; GET /v1/agent/models lists what there is.`);
  }
}

/** The model does not offer this value. The error lists the offered values, and the nearest. */
export class NotOffered extends AppError {
  readonly kind = 'invalid_request';
  readonly code = 'INVALID_REQUEST';

  constructor(field: string, model: string, offered: readonly (string | number)[], wish?: string | number) {
    const nearest = wish === undefined ? undefined : nearestOffer(wish, offered);
    super(
      offered.length === 0
        ? `${model} takes no ${field}; leave it out.`
        : `${field} of ${model} must be one of ${offered.join(', ')}.` +
            (nearest === undefined ? '' : ` The nearest is ${nearest}.`),
      { param: field, remedies: [{ param: field, value: nearest }] },
    );
  }
}

/** The model can't fulfil a wish, or only in part. The error lists the models of the same mode that can. */
export class NotCapable extends AppError {
  readonly kind = 'invalid_request';
  readonly code = 'NOT_CAPABLE';

  constructor(model: string, { param, modelParam, most, capable }: WishRefusal) {
    const takes = most === undefined ? `takes no ${param}` : `takes at most ${most} ${param}`;
    const others =
      capable.length === 0
        ? `No model of its kind that is sold here does more; leave ${param} out.`
        : `Choose one that does (${capable.join(', ')}), or leave ${param} out.`;
    super(`${model} ${takes}. ${others}`, {
      param,
      remedies: [...capable.map((value) => ({ param: modelParam, value })), { param }],
    });
  }
}

interface WishRefusal {
  readonly param: string;
  /** The caller's field for the model. */
  readonly modelParam: string;
  /** The largest amount that the model accepts; undefined if it accepts none. */
  readonly most?: number;
  readonly capable: readonly string[];
}

/** The nearest offer, in the type of the request: its `seconds` are text, but the catalog's are numbers. */
const nearestOffer = (
  wish: string | number,
  offered: readonly (string | number)[],
): string | number | undefined => {
  if (offered.every((offer) => typeof offer === 'number')) {
    const [nearest] = offered.toSorted((a, b) => Math.abs(a - Number(wish)) - Math.abs(b - Number(wish)));
    return nearest === undefined || typeof wish === 'number' ? nearest : String(nearest);
  }
  return nearestOf(String(wish), offered.map(String));
};

export class AbovePriceCap extends AppError {
  readonly kind = 'invalid_request';
  readonly code = 'INVALID_REQUEST';

  constructor(param: string) {
    super('This call would cost more than a call may cost. Ask for a shorter or smaller result.', { param });
  }
}
