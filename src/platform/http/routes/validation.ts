import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, validate } from 'class-validator';

import { InvalidRequest, type Remedy } from '#kernel/app-error';
import { similarTo } from '#kernel/nearest';
import { compile, compileForAll } from './json-schema';
import { ownMessageIn, ownMessageOf, partsOf } from './own-messages';
import { type Constructor, type Schema, expressesAll, schemaOf } from './schema-of';
import { isTransformed } from './transformed';

interface Check {
  readonly fits: ValidateFunction;
  /** The same with the fields that class-validator checks only under a condition, for code that doesn't ask it. */
  readonly fitsAll: ValidateFunction;
  /** Whether the schema expresses all decorators. If not, class-validator runs as well. */
  readonly isWhole: boolean;
  /** Set if handlers get an instance: the schema then checks only the names of the body's fields. */
  readonly fitsNames?: ValidateFunction;
}

const checks = new WeakMap<Constructor, Check>();

/** The compiled check of a class, made at its first use. */
const checkOf = (type: Constructor): Check => {
  const known = checks.get(type);
  if (known !== undefined) return known;
  const schema = schemaOf(type);
  const fitsAll = compile(schema);
  const isWhole = expressesAll(type);
  const check = {
    fits: isWhole ? fitsAll : compile(schemaOf(type, 'checks')),
    fitsAll,
    isWhole,
    fitsNames: isTransformed(type) ? compile(namesSchemaOf(schema)) : undefined,
  };
  checks.set(type, check);
  return check;
};

/** Allows any value in each field. */
const namesSchemaOf = ({ properties, required: _, ...rest }: Schema): Schema => ({
  ...rest,
  properties: Object.fromEntries(Object.keys(properties as object).map((name) => [name, {}])),
});

/** Compiles the check of a class now, so that its first use does not wait for it. */
export const prepareCheck = (type: Constructor): void => {
  try {
    checkOf(type);
  } catch (cause) {
    throw new Error(`The decorators of ${type.name} make no valid schema: ${String(cause)}`, { cause });
  }
};

/** Converts `/messages/2/content` to `messages[2].content`. */
const pathOf = (error: ErrorObject): string =>
  partsOf(error)
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('');

/** The pattern for texts that must not be blank. */
const SOMETHING = String.raw`\S`;

/** A sentence that begins with the field's name, and contains the fault and the allowed values. */
const sentenceOf = (error: ErrorObject, path: string): string => {
  const params = error.params as Record<string, unknown>;
  const subject = path === '' ? 'The body' : path;
  const { limit } = params;
  const counted = (things: string): string => `${String(limit)} ${things}${limit === 1 ? '' : 's'}`;
  switch (error.keyword) {
    case 'required':
      return `${subject} is required.`;
    case 'type':
      return `${subject} must be ${params['type'] === 'integer' ? 'a whole number' : `of type ${String(params['type'])}`}.`;
    case 'enum':
      return `${subject} must be one of ${(params['allowedValues'] as unknown[]).join(', ')}.`;
    case 'maxLength':
      return `${subject} must be at most ${counted('character')} long.`;
    case 'minLength':
      return `${subject} must be at least ${counted('character')} long.`;
    case 'maxItems':
      return `${subject} must hold at most ${counted('item')}.`;
    case 'minItems':
      return `${subject} must hold at least ${counted('item')}.`;
    case 'minimum':
      return `${subject} must be at least ${String(limit)}.`;
    case 'exclusiveMinimum':
      return `${subject} must be above ${String(limit)}.`;
    case 'maximum':
      return `${subject} must be at most ${String(limit)}.`;
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

/** The value that a caller with a wrong type probably means. */
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

/** The allowed value that a caller probably means. Allowed values are words, numbers or null. */
const likelyOf = (value: unknown, allowed: readonly unknown[]): unknown => {
  // An object is no misspelt word. It can even be {"toString": null}, which can't be converted to a text.
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const numbers = allowed.filter((one) => typeof one === 'number');
  if (typeof value === 'number' && numbers.length > 0)
    return numbers.reduce((best, one) => (Math.abs(one - value) < Math.abs(best - value) ? one : best));
  const word = similarTo(String(value), allowed.map(String));
  return word === undefined ? undefined : allowed.find((one) => String(one) === word);
};

/** The field that an unknown name probably means. */
const meantIn = ({ params, parentSchema }: ErrorObject): string | undefined => {
  const { additionalProperty, meant } = params as { additionalProperty: string; meant?: string };
  const fields = Object.keys((parentSchema as { properties?: object } | undefined)?.properties ?? {});
  return meant ?? similarTo(additionalProperty, fields);
};

/**
 * Replaces the unknown name by the probable one. The fix never drops the field, because the field may restrict the
 * call.
 */
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

/**
 * Changes that may make the field valid. The service tries each change before it proposes one, so a wrong change does
 * no harm.
 */
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

const problemOf = (fits: ValidateFunction, type: Constructor, body: unknown): InvalidRequest => {
  const error = fits.errors?.[0];
  if (error === undefined) return new InvalidRequest('The body is not valid.');
  const param = pathOf(error);
  const extras = param === '' ? {} : { param, remedies: remediesOf(error, param) };
  return new InvalidRequest(ownMessageOf(type, body, error) ?? sentenceOf(error, param), extras);
};

/** Throws the first fault of a body, with the name of its field. A valid body is returned unchanged. */
export const validateAs = <T extends object>(type: new () => T, body: unknown): T =>
  fitting<T>(checkOf(type).fitsAll, type, body);

/** The places whose value has the type of one of its forms, and another fault in it or below it. */
const placesWithForm = (errors: readonly ErrorObject[]): ReadonlySet<string> => {
  const places = new Set<string>();
  for (const { keyword, instancePath } of errors) {
    if (keyword === 'anyOf') continue;
    const parts = instancePath.split('/');
    if (keyword === 'type') parts.pop();
    for (; parts.length > 0 && !places.has(parts.join('/')); parts.pop()) places.add(parts.join('/'));
  }
  return places;
};

/** All faults of a value, one for each field. A value with several forms has the faults of the form that it has. */
export const faultsOf = (type: Constructor, value: unknown): readonly string[] => {
  const check = compileForAll(schemaOf(type));
  check(value);
  const errors = check.errors ?? [];
  const faults = new Map<string, string>();
  const places = placesWithForm(errors);
  for (const error of errors) {
    const path = pathOf(error);
    if (/anyOf\/\d+\/type$/.test(error.schemaPath) && places.has(error.instancePath)) continue;
    if (error.keyword !== 'anyOf' && !faults.has(path))
      faults.set(path, ownMessageOf(type, value, error) ?? sentenceOf(error, path));
  }
  return [...faults.values()];
};

const fitting = <T>(fits: ValidateFunction, type: Constructor, body: unknown): T => {
  if (fits(body)) return body as T;
  throw problemOf(fits, type, body);
};

/**
 * Like `validateAs`, and also lets class-validator check the decorators that no schema can express. A class with
 * methods, default values or decorators of class-transformer gets its instance, as Nest's own pipe makes it.
 */
export const validateWhole = async <T extends object>(type: new () => T, body: unknown): Promise<T> => {
  const { fits, fitsNames, isWhole } = checkOf(type);
  if (fitsNames !== undefined) return transformed(type, body, fitsNames);
  const checked = fitting<T>(fits, type, body);
  return isWhole ? checked : byClassValidator(type, checked);
};

const byClassValidator = async <T extends object>(type: new () => T, body: T): Promise<T> => {
  await requireValid(plainToInstance(type, body));
  return body;
};

/** class-transformer may change the type of any value, so class-validator checks the instance and not the body. */
const transformed = async <T extends object>(
  type: new () => T,
  body: unknown,
  fitsNames: ValidateFunction,
): Promise<T> => {
  if (!fitsNames(body)) throw problemOf(fitsNames, type, body);
  const instance = plainToInstance(type, body, { exposeDefaultValues: true });
  await requireValid(instance);
  return instance;
};

const requireValid = async (instance: object): Promise<void> => {
  const [problem] = await validate(instance, { stopAtFirstError: true });
  if (problem !== undefined) throw invalid(problem, '');
};

/** The first problem of a field, or of a nested field. */
const invalid = (error: ValidationError, within: string): InvalidRequest => {
  const { target, property, constraints, children } = error;
  const param = /^\d+$/.test(property)
    ? `${within}[${property}]`
    : within === ''
      ? property
      : `${within}.${property}`;
  const [child] = children ?? [];
  const [message] = Object.values(constraints ?? {});
  if (message === undefined && child !== undefined) return invalid(child, param);
  const own = target === undefined ? undefined : ownMessageIn(target, property);
  return new InvalidRequest(own ?? message ?? `${param} is not valid.`, { param });
};

/**
 * Converts the values of a query string by the types of their fields: `?limit=5` is a number. An empty value counts as
 * absent.
 */
const queryValues = (type: new () => object, query: Readonly<Record<string, unknown>>): object => {
  const { properties } = schemaOf(type) as { properties: Readonly<Record<string, Schema>> };
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(properties)) {
    const given = query[name];
    if (Array.isArray(given)) throw new InvalidRequest(`${name} must be given once.`, { param: name });
    if (given === undefined || given === '') {
      if (field['default'] !== undefined) values[name] = field['default'];
    } else {
      values[name] = field['type'] === 'string' ? given : (asType(given, field['type']) ?? given);
    }
  }
  return Object.assign(new type(), values);
};

/** Reports both bounds of a whole number together, because a caller who exceeds one needs to know both. */
const querySentence = (error: ErrorObject, param: string): string => {
  const { type, minimum, maximum } = (error.parentSchema ?? {}) as {
    type?: string;
    minimum?: number;
    maximum?: number;
  };
  return type === 'integer' && minimum !== undefined && maximum !== undefined
    ? `${param} must be a whole number from ${minimum} to ${maximum}.`
    : sentenceOf(error, param);
};

const validateQuery = async (
  type: new () => object,
  query: Readonly<Record<string, unknown>>,
): Promise<object> => {
  const { fits, isWhole } = checkOf(type);
  const values = queryValues(type, query);
  if (fits(values)) return isWhole ? values : byClassValidator(type, values);
  const error = fits.errors![0]!;
  const param = pathOf(error);
  throw new InvalidRequest(ownMessageOf(type, values, error) ?? querySentence(error, param), { param });
};

/** Validates bodies and query strings by their classes, as class-validator declares them. */
@Injectable()
export class DtoPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined || PLAIN.has(metatype)) return value;
    const dto = metatype as new () => object;
    if (type === 'body') return validateWhole(dto, value ?? {});
    return type === 'query' ? validateQuery(dto, (value ?? {}) as Record<string, unknown>) : value;
  }
}

/** Types that declare no fields, so there is nothing to check. */
const PLAIN: ReadonlySet<unknown> = new Set([Object, String, Number, Boolean, Array]);
