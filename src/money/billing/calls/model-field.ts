import { InvalidRequest } from '#kernel/app-error';
import { schemaOf } from '#platform/http/routes/schema-of';
import type { PaidBody } from './paid-body';

/** The names of the field in the bodies of our routes. A route has one of them. */
const NAMES = [
  ['model', 'modelId'],
  ['modelId', 'model'],
] as const;

/**
 * Refuses a body that names its model in the field of another route. Without this, the call would be charged for the default
 * model, which its caller did not ask for.
 */
export const requireModelField = (type: new () => PaidBody, sent: unknown): void => {
  if (typeof sent !== 'object' || sent === null) return;
  const known = (schemaOf(type)['properties'] ?? {}) as object;
  const given = sent as Readonly<Record<string, unknown>>;
  for (const [odd, right] of NAMES) {
    const { [odd]: value, ...rest } = given;
    if (value === undefined || Object.hasOwn(known, odd) || !Object.hasOwn(known, right)) continue;
    if (value === given[right]) continue;
    throw new InvalidRequest(`${odd} is no field of this route: the model is ${right} here.`, {
      param: odd,
      remedies: [{ param: '', value: { [right]: value, ...rest } }],
    });
  }
};
