import { InvalidRequest } from '#kernel/app-error';
import { isFields } from '#kernel/json';
import { schemaOf } from '#platform/http/routes/schema-of';
import type { PaidBody } from './paid-body';

/** The names of the field in the bodies of our routes. A route has one of them. */
const NAMES = ['model', 'modelId'];

/** The same names in the spellings of other APIs, such as `model_id`. */
const OTHER_SPELLING = /^model[_-]?(?:id)?$/i;

/** Some clients send null in each field that they do not use. */
const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/**
 * Refuses a call that names its model in the field of another route, or only in its address. Without this, the call would be
 * charged for the default model, which its caller did not ask for.
 */
export const requireModelField = (type: new () => PaidBody, sent: unknown, query: object = {}): void => {
  if (!isFields(sent)) return;
  const known = (schemaOf(type)['properties'] ?? {}) as object;
  const right = NAMES.find((name) => Object.hasOwn(known, name));
  if (right === undefined || !isAbsent(sent[right])) return;
  const namesModel = (name: string): boolean =>
    OTHER_SPELLING.test(name) && !Object.hasOwn(known, name) && !isAbsent(sent[name]);
  const odd = Object.keys(sent).find(namesModel);
  if (odd === undefined) return requireModelInBody(query);
  const { [odd]: value, [right]: _, ...rest } = sent;
  throw new InvalidRequest(`${odd} is no field of this route: the model is ${right} here.`, {
    param: odd,
    remedies: [{ param: '', value: { ...rest, [right]: value } }],
  });
};

const requireModelInBody = (query: object): void => {
  const name = Object.keys(query).find((each) => OTHER_SPELLING.test(each));
  if (name === undefined) return;
  throw new InvalidRequest(`${name} is a field of the body; in the address it has no effect.`, {
    param: name,
  });
};
