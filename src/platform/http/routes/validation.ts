import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';

import { InvalidRequest, type Remedy } from '../../../kernel/app-error';
import { similarTo } from '../../../kernel/nearest';
import { type Schema, schemaOf } from './fields';

type Constructor = abstract new (...args: never[]) => object;

// Tab, line feed and carriage return belong in prompts; the other control characters belong nowhere.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

// No coercion and no defaults written into bodies: what the caller sent is what gets priced and hashed.
const ajv = new Ajv({
  allErrors: false,
  coerceTypes: false,
  useDefaults: false,
  strict: true,
  strictRequired: false,
  verbose: true,
})
  .addFormat('date-time', true)
  .addFormat('uri', true)
  .addFormat('email', true)
  .addKeyword({
    keyword: 'plainText',
    type: 'string',
    schemaType: 'boolean',
    validate: (_: boolean, text: string) => text.isWellFormed() && !CONTROL.test(text),
    error: { message: 'must not hold control characters or broken Unicode' },
  });

const compiled = new WeakMap<Constructor, ValidateFunction>();

const validatorOf = (type: Constructor): ValidateFunction => {
  const known = compiled.get(type);
  if (known !== undefined) {
    return known;
  }
  const validator = ajv.compile(schemaOf(type) as Schema & { $id?: string });
  compiled.set(type, validator);
  return validator;
};

/** `/messages/2/content` reads `messages[2].content`. */
const pathOf = (error: ErrorObject): string => {
  const parts = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (error.keyword === 'required') {
    parts.push((error.params as { missingProperty: string }).missingProperty);
  }
  return parts
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('');
};

/** The pattern of texts that must not be blank. */
const SOMETHING = String.raw`\S`;

/** Says what is wrong and what is allowed, in a sentence that starts with the field's name. */
const sentenceOf = (error: ErrorObject, path: string): string => {
  const params = error.params as Record<string, unknown>;
  const subject = path === '' ? 'The body' : path;
  switch (error.keyword) {
    case 'required':
      return `${subject} is required.`;
    case 'type':
      return `${subject} must be ${params['type'] === 'integer' ? 'a whole number' : `of type ${String(params['type'])}`}.`;
    case 'enum':
      return `${subject} must be one of ${(params['allowedValues'] as unknown[]).join(', ')}.`;
    case 'maxLength':
      return `${subject} must be at most ${String(params['limit'])} characters long.`;
    case 'minLength':
      return `${subject} must be at least ${String(params['limit'])} characters long.`;
    case 'maxItems':
      return `${subject} must hold at most ${String(params['limit'])} items.`;
    case 'minItems':
      return `${subject} must hold at least ${String(params['limit'])} items.`;
    case 'minimum':
      return `${subject} must be at least ${String(params['limit'])}.`;
    case 'exclusiveMinimum':
      return `${subject} must be above ${String(params['limit'])}.`;
    case 'maximum':
      return `${subject} must be at most ${String(params['limit'])}.`;
    case 'uniqueItems':
      return `${subject} must not hold the same item twice.`;
    case 'pattern':
      if (params['pattern'] === SOMETHING) return `${subject} must hold more than spaces.`;
      return `${subject} must match ${String(params['pattern'])}.`;
    default:
      return `${subject} ${error.message ?? 'is not valid'}.`;
  }
};

/** What was probably meant by a value of the wrong type. */
const asType = (value: unknown, type: unknown): unknown => {
  if (
    (type === 'number' || type === 'integer') &&
    typeof value === 'string' &&
    /^-?\d{1,15}(\.\d{1,15})?$/.test(value)
  ) {
    return Number(value);
  }
  if (type === 'integer' && typeof value === 'number') return Math.round(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  if (type === 'string' && typeof value === 'number') return String(value);
  return type === 'array' && typeof value === 'object' && value !== null ? [value] : undefined;
};

/** Which of the allowed values was probably meant; they are words, numbers or null. */
const likelyOf = (value: unknown, allowed: readonly unknown[]): unknown => {
  const word = similarTo(String(value), allowed.map(String));
  return word === undefined ? undefined : allowed.find((one) => String(one) === word);
};

/** Changes that may make the field valid. They are only tried, so they may be wrong. */
const remediesOf = (error: ErrorObject, param: string): readonly Remedy[] => {
  const params = error.params as Record<string, unknown>;
  const leaveOut = { param };
  const change = (value: unknown): readonly Remedy[] => (value === undefined ? [] : [{ param, value }]);
  switch (error.keyword) {
    case 'type':
      return [...change(asType(error.data, params['type'])), ...(error.data === null ? [leaveOut] : [])];
    case 'enum':
      return [...change(likelyOf(error.data, params['allowedValues'] as readonly unknown[])), leaveOut];
    case 'minimum':
    case 'maximum':
      return change(params['limit']);
    case 'exclusiveMinimum':
      return [leaveOut];
    default:
      return [];
  }
};

/** Throws the first problem of a body, naming its field; a body that passes is returned as it came. */
export const validateAs = <T extends object>(type: new () => T, body: unknown): T => {
  const validate = validatorOf(type);
  if (validate(body)) {
    return body as T;
  }
  const error = validate.errors?.[0];
  if (error === undefined) {
    throw new InvalidRequest('The body is not valid.');
  }
  const param = pathOf(error);
  const extras = param === '' ? {} : { param, remedies: remediesOf(error, param) };
  throw new InvalidRequest(sentenceOf(error, param), extras);
};

/** Validates every body by the compiled schema of its class. */
@Injectable()
export class BodyPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type !== 'body' || metatype === undefined || metatype === Object) {
      return value;
    }
    return validateAs(metatype as new () => object, value ?? {});
  }
}
