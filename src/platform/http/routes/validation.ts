import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { Ajv, type ErrorObject, type FuncKeywordDefinition, type ValidateFunction } from 'ajv';

import { InvalidRequest, type Remedy } from '../../../kernel/app-error';
import { similarTo } from '../../../kernel/nearest';
import { meantBy } from './misspelt-names';
import { type Schema, schemaOf } from './fields';

type Constructor = abstract new (...args: never[]) => object;

// Tab, line feed and carriage return belong in prompts; the other control characters belong nowhere.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** A body of very many unknown names takes no longer for it. */
const NAMES_LOOKED_AT_MAX = 500;

type DataValidate = ReturnType<NonNullable<FuncKeywordDefinition['compile']>>;

/** Refuses names that are probably misspelt names of the listed fields; other unknown names are ignored. */
const noSlipOf: FuncKeywordDefinition = {
  keyword: 'noSlipOf',
  type: 'object',
  schemaType: 'array',
  errors: true,
  compile: (names: readonly string[], parent): DataValidate => {
    const known = new Set(Object.keys((parent['properties'] ?? {}) as object));
    const validate: DataValidate = (body: object) => {
      for (const name of Object.keys(body).slice(0, NAMES_LOOKED_AT_MAX)) {
        const meant = known.has(name) ? undefined : meantBy(name, names);
        if (meant !== undefined) {
          validate.errors = [{ keyword: 'noSlipOf', params: { additionalProperty: name, meant } }];
          return false;
        }
      }
      return true;
    };
    return validate;
  },
};

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
  })
  .addKeyword(noSlipOf);

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
  const { missingProperty, additionalProperty } = error.params as Record<string, string | undefined>;
  const named = missingProperty ?? additionalProperty;
  if (named !== undefined) parts.push(named);
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
    case 'additionalProperties':
    case 'noSlipOf': {
      const near = meantIn(error);
      return `${subject} is not a field of this.${near === undefined ? '' : ` Did you mean ${near}?`}`;
    }
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

/** Which field an unknown name was probably meant for. */
const meantIn = ({ params, parentSchema }: ErrorObject): string | undefined => {
  const { additionalProperty, meant } = params as { additionalProperty: string; meant?: string };
  const fields = Object.keys((parentSchema as { properties?: object } | undefined)?.properties ?? {});
  return meant ?? similarTo(additionalProperty, fields);
};

/** The object that holds an unknown name, with the name that was meant. It is never left out: it may restrict. */
const renamed = (error: ErrorObject, param: string): readonly Remedy[] => {
  const { additionalProperty } = error.params as { additionalProperty: string };
  const meant = meantIn(error);
  const holder = error.data as Readonly<Record<string, unknown>>;
  if (meant === undefined || Object.hasOwn(holder, meant)) return [];
  const entries = Object.entries(holder).map(([name, value]) => [
    name === additionalProperty ? meant : name,
    value,
  ]);
  const outer = param.slice(0, -additionalProperty.length).replace(/\.$/, '');
  return [{ param: outer, value: Object.fromEntries(entries) as unknown }];
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
    case 'additionalProperties':
    case 'noSlipOf':
      return renamed(error, param);
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
