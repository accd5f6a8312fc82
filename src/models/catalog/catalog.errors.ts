import { InvalidRequest, defineError } from '#kernel/app-error';
import { NOT_OFFERED } from '#models/providers/routing/unsold-model.errors';
import { INVALID_REQUEST } from '#kernel/common-codes';
import { errorCode } from '#kernel/error-code';
import { nearestOf, similarTo } from '#kernel/nearest';

/** The kinds of models that a service sells. */
export type ProductLine = 'text' | 'media' | 'audio';

/** The comparison of spellings is slow, so among many models it is only for those that begin alike. */
const COMPARED_MAX = 200;

const comparable = (id: string, known: readonly string[]): readonly string[] =>
  known.length <= COMPARED_MAX
    ? known
    : known.filter((one) => one.startsWith(id.slice(0, 3))).slice(0, COMPARED_MAX);

/** A paid route answers 400 for an unknown model. A quote answers 404, because the model is the requested object. */
export class UnknownModel extends defineError(
  errorCode('UNKNOWN_MODEL', ['invalid_request', 'not_found'], {
    means: 'This service has no model with this id. A quote answers 404, a paid route 400.',
    remedy:
      'Use an id from `GET /v1/agent/models`, or leave the model out for the default. `fix` has the nearest id.',
  }),
) {
  constructor(
    id: string,
    known: readonly string[],
    param: string,
    kind: 'invalid_request' | 'not_found' = 'invalid_request',
    instead?: string,
  ) {
    const near =
      instead ??
      known.find((one) => one.includes(id) || id.includes(one)) ??
      similarTo(id, comparable(id, known));
    super(
      `There is no model ${id.slice(0, 100)}.${near === undefined ? '' : ` Did you mean ${near}?`} ` +
        `GET /v1/agent/models lists them all.`,
      { kind, param, remedies: [...(near === undefined ? [] : [{ param, value: near }]), { param }] },
    );
  }
}

const WORK: Readonly<Record<ProductLine, string>> = {
  text: 'texts',
  media: 'pictures or films',
  audio: 'speech or transcripts',
};

/** The model exists, but a route for another kind of work names it. */
export class OtherWork extends InvalidRequest {
  constructor(id: string, line: ProductLine, param: string) {
    super(`${id} makes ${WORK[line]}, and this route does not call it. Choose a model of the other kind.`, {
      param,
      remedies: [{ param }],
    });
  }
}

/** This service sells no model of this kind, so neither a retry nor another model helps. */
export const NotSold = defineError(
  NOT_OFFERED,
  (line: ProductLine) =>
    `This service sells no ${line}. Nothing was charged; GET /v1/agent/models lists what there is.`,
);

/** The route chooses the model itself, and the operator's catalog lacks it. The caller can change nothing. */
export const RouteLacksModel = defineError(
  NOT_OFFERED,
  (id: string) =>
    `This route works with the model ${id}, which this service does not sell. Nothing was charged; ` +
    'the operator must add the model to the catalog.',
);

/** The model does not offer this value. The error lists the offered values, and the nearest. */
export class NotOffered extends defineError(INVALID_REQUEST) {
  constructor(
    field: string,
    model: string,
    offered: readonly (string | number)[],
    requested?: string | number,
    /** The value to propose, where the nearest one may cost several times as much. */
    instead?: string,
  ) {
    const nearest = requested === undefined ? undefined : (instead ?? nearestOffer(requested, offered));
    super(
      offered.length === 0
        ? `${model} takes no ${field}; leave it out.`
        : `${field} of ${model} must be one of ${offered.join(', ')}.` +
            (nearest === undefined
              ? ''
              : ` The ${instead === undefined ? 'nearest' : 'default'} is ${nearest}.`),
      { param: field, remedies: [{ param: field, value: nearest }] },
    );
  }
}

/** The model can't fulfil an optional input, or only in part. The error lists the models of the same mode that can. */
export class NotCapable extends defineError(
  errorCode('NOT_CAPABLE', 'invalid_request', {
    means:
      'The model does not support an input of the call, such as a seed or a mask. `param` names it. Nothing was held.',
    remedy:
      'The message lists the models that can. `capabilities` in `GET /v1/agent/models` says it of every model.',
  }),
) {
  constructor(model: string, { param, modelParam, most, capable }: CapabilityRefusal) {
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

interface CapabilityRefusal {
  readonly param: string;
  /** The caller's field for the model. */
  readonly modelParam: string;
  /** The largest amount that the model accepts; undefined if it accepts none. */
  readonly most?: number;
  readonly capable: readonly string[];
}

/** The nearest offer, in the type of the request: its `seconds` are text, but the catalog's are numbers. */
const nearestOffer = (
  requested: string | number,
  offered: readonly (string | number)[],
): string | number | undefined => {
  if (offered.every((offer) => typeof offer === 'number')) {
    const [nearest] = offered.toSorted(
      (a, b) => Math.abs(a - Number(requested)) - Math.abs(b - Number(requested)),
    );
    return nearest === undefined || typeof requested === 'number' ? nearest : String(nearest);
  }
  return nearestOf(String(requested), offered.map(String));
};

export const AbovePriceCap = defineError(INVALID_REQUEST, (param: string) => ({
  message: 'This call would cost more than a call may cost. Ask for a shorter or smaller result.',
  param,
}));

/** The vendors could bill more for the prompt than the price of the call. */
export const PromptTooLong = defineError(INVALID_REQUEST, (model: string, most: bigint, sent: number) => ({
  message: `${model} takes prompts of at most ${most} bytes at this price, and this one has ${sent}. Nothing was charged.`,
  param: 'prompt',
  remedies: [{ param: 'prompt' }],
}));
