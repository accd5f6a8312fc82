import { defaultMetadataStorage } from 'class-transformer/cjs/storage';
import { IS_EMPTY, ValidationTypes, getMetadataStorage } from 'class-validator';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';

import { withoutAbsent } from '#kernel/present';
import { getOrMake } from '#kernel/maps';

/** The part of JSON Schema that our fields use. */
export type Schema = { readonly [keyword: string]: unknown };

export type Constructor = abstract new (...args: never[]) => object;

/** The names of our own constraints, which `fields.ts` declares. */
export const PLAIN_TEXT = 'plainText';
export const ABOVE = 'isAbove';
export const FITS_SCHEMA = 'fitsSchema';
/** The properties in which `OnlyKnownNames` and `NoSlipOf` store their keyword. */
export const NAMES = Symbol('names');
/** The property in which a field of ours stores its description, its default and its format. */
export const REMARKS = Symbol('remarks');
/**
 * The condition for optional fields: they may be absent. `IsOptional` would also allow null, so our fields do not use
 * it.
 */
export const isPresent = (_: object, value: unknown): boolean => value !== undefined;

type Converter = (meta: ValidationMetadata, use: Use) => Schema | undefined;

const first = ({ constraints }: ValidationMetadata): unknown => (constraints as unknown[] | undefined)?.[0];

/** The class of the objects in a field, if `@Type()` names it. */
export const nestedClassOf = (type: Constructor, field: string): Constructor | undefined => {
  const meta = metasOf(type).find(({ propertyName }) => propertyName === field);
  return meta && nestedType(meta);
};

const nestedType = (meta: ValidationMetadata): Constructor | undefined =>
  defaultMetadataStorage
    .findTypeMetadata(meta.target as never, meta.propertyName)
    ?.typeFunction(undefined) as Constructor | undefined;

/** The constraints of class-validator that JSON Schema expresses exactly. class-validator itself checks all others. */
const CONVERTERS: Readonly<Record<string, Converter>> = {
  isString: () => ({ type: 'string' }),
  isInt: () => ({ type: 'integer' }),
  isNumber: (meta) =>
    Object.keys((first(meta) as object | undefined) ?? {}).length === 0 ? { type: 'number' } : undefined,
  isBoolean: () => ({ type: 'boolean' }),
  isArray: () => ({ type: 'array' }),
  minLength: (meta) => ({ type: 'string', minLength: first(meta) }),
  maxLength: (meta) => ({ type: 'string', maxLength: first(meta) }),
  min: (meta) => ({ type: 'number', minimum: first(meta) }),
  max: (meta) => ({ type: 'number', maximum: first(meta) }),
  arrayMinSize: (meta) => ({ type: 'array', minItems: first(meta) }),
  arrayMaxSize: (meta) => ({ type: 'array', maxItems: first(meta) }),
  isIn: (meta) => (Array.isArray(first(meta)) ? { enum: first(meta) } : undefined),
  matches: (meta) => {
    const pattern = first(meta);
    return pattern instanceof RegExp && pattern.flags === ''
      ? { type: 'string', pattern: pattern.source }
      : undefined;
  },
  [ValidationTypes.NESTED_VALIDATION]: (meta, use) => {
    const type = nestedType(meta);
    return type && schemaOf(type, use);
  },
  [ValidationTypes.CONDITIONAL_VALIDATION]: (meta) => {
    if (first(meta) === isPresent) return {};
    return meta.name === 'isOptional' ? { nullable: true } : undefined;
  },
  [PLAIN_TEXT]: () => ({ plainText: true }),
  [ABOVE]: (meta) => ({ exclusiveMinimum: first(meta) }),
  [FITS_SCHEMA]: (meta) => first(meta) as Schema,
};

const metasOfClass = new WeakMap<Constructor, readonly ValidationMetadata[]>();

/** The metadata of a class and of its parents. class-validator compares a class with all others, so it is asked once. */
const metasOf = (type: Constructor): readonly ValidationMetadata[] =>
  getOrMake(metasOfClass, type, () =>
    getMetadataStorage().getTargetValidationMetadatas(type, '', true, false),
  );

/** Every constraint of a class and of its parents, by class-validator's name. */
const constraintsOf = (type: Constructor): readonly ValidationMetadata[] =>
  metasOf(type).map((meta) => {
    const [constraint] = meta.constraintCls
      ? getMetadataStorage().getTargetValidatorConstraints(meta.constraintCls)
      : [];
    return Object.assign(Object.create(meta) as ValidationMetadata, {
      type: constraint?.name ?? meta.type,
    });
  });

/** The default message of `ValidateNested`. */
const NESTED_MESSAGE = /^(each value in )?nested property \$property must be either object or array$/;

const hasOwnMessage = ({ message }: ValidationMetadata): boolean =>
  message !== undefined && !(typeof message === 'string' && NESTED_MESSAGE.test(message));

/** A constraint of a field. */
export interface FieldRule {
  /** The constraint, as class-validator stores it. */
  readonly meta: ValidationMetadata;
  readonly hasOwnMessage: boolean;
  /** Whether it is a rule for each item of a list. class-validator leaves it undefined where no decorator says it. */
  readonly each: boolean | undefined;
  /** The keywords of the schema that express it; none if no schema can. */
  readonly keywords: readonly string[];
}

/** The constraints of a field, in the order in which class-validator checks them. */
export const rulesOfField = (type: Constructor, field: string): readonly FieldRule[] =>
  constraintsOf(type)
    .filter((meta) => meta.propertyName === field && meta.type !== ValidationTypes.CONDITIONAL_VALIDATION)
    .map((meta) => ({
      meta: Object.getPrototypeOf(meta) as ValidationMetadata,
      hasOwnMessage: hasOwnMessage(meta),
      each: meta.each,
      keywords: Object.keys(CONVERTERS[meta.type]?.(meta, 'code') ?? {}),
    }));

/** Whether a schema expresses the constraint exactly. A schema has no groups, so class-validator checks these. */
const isExact = (meta: ValidationMetadata): boolean => {
  if ((meta.groups ?? []).length > 0) return false;
  const nested = nestedType(meta);
  if (meta.type === ValidationTypes.NESTED_VALIDATION) return nested !== undefined && expressesAll(nested);
  return CONVERTERS[meta.type]?.(meta, 'code') !== undefined;
};

/** Whether a constraint of a field replaces a keyword of another one, such as the pattern of a second `@Matches`. */
const losesAny = (metas: readonly ValidationMetadata[]): boolean => {
  const keywords = new Map<string, unknown>();
  return metas.some((meta) => {
    if (meta.type === ValidationTypes.NESTED_VALIDATION) return false;
    return Object.entries(CONVERTERS[meta.type]?.(meta, 'code') ?? {}).some(([keyword, value]) => {
      const keywordName = `${meta.propertyName} ${String(meta.each)} ${keyword}`;
      const before = keywords.get(keywordName);
      keywords.set(keywordName, value);
      return before !== undefined && before !== value && !(before === 'number' && value === 'integer');
    });
  });
};

const known = new WeakMap<Constructor, boolean>();

/** Whether the schema of a class expresses all its decorators. If not, class-validator checks bodies as well. */
export const expressesAll = (type: Constructor): boolean => {
  let exact = known.get(type);
  if (exact === undefined) {
    known.set(type, true); // If the class contains itself, the inner use counts as exact, so that the recursion ends.
    const metas = constraintsOf(type);
    exact = metas.every(isExact) && !losesAny(metas);
    known.set(type, exact);
  }
  return exact;
};

/** The names of the fields in order of declaration. Those of the base class come first. */
export const namesOf = (type: Constructor): readonly string[] => {
  const parent = Object.getPrototypeOf(type) as Constructor | null;
  const inherited = parent === null || parent.name === '' ? [] : namesOf(parent);
  const own = metasOf(type)
    .filter(({ target }) => target === type)
    .map(({ propertyName }) => propertyName);
  return [...new Set([...inherited, ...own])];
};

/** The values that a new instance has. A field with such a value may be absent. */
export const defaultsOf = (type: Constructor): Readonly<Record<string, unknown>> => {
  try {
    const fields = Object.entries(new (type as new () => object)());
    return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
  } catch {
    return {}; // A class whose constructor needs arguments has no defaults that we can know.
  }
};

/** Allows null wherever class-validator allows it. */
const withNull = ({ nullable, ...schema }: Schema): Schema => {
  if (nullable !== true) return schema;
  const { type, enum: values } = schema;
  return {
    ...schema,
    ...(values === undefined ? {} : { enum: [...(values as unknown[]), null] }),
    ...(type === undefined ? {} : { nullable }),
  };
};

/** Removes our own keywords, which do not help a reader of a document. */
export const documented = ({ plainText: _, noSlipOf: __, ...schema }: Schema): Schema => schema;

/**
 * `checks` leaves a field with a condition to class-validator, if no schema expresses the condition. `readers` adds
 * descriptions, and hides our own keywords.
 */
type Use = 'code' | 'checks' | 'readers';

/** Several bodies use the same class, so each schema is made only once. */
const made = { code: new WeakMap(), checks: new WeakMap(), readers: new WeakMap() } as Readonly<
  Record<Use, WeakMap<Constructor, Schema>>
>;

/** Makes the JSON Schema of a class from the metadata of class-validator. */
export const schemaOf = (type: Constructor, use: Use = 'code'): Schema => {
  const schema = made[use].get(type) ?? classSchema(type, use);
  made[use].set(type, schema);
  return schema;
};

export const describedSchemaOf = (type: Constructor): Schema => schemaOf(type, 'readers');

const classSchema = (type: Constructor, use: Use): Schema => {
  const constraints = constraintsOf(type);
  const defaults = defaultsOf(type);
  const required: string[] = [];
  const fields = namesOf(type)
    .filter((name) => defaultMetadataStorage.findExcludeMetadata(type as never, name) === undefined)
    .map((name): [string, Schema] => {
      const all = constraints.filter(({ propertyName }) => propertyName === name);
      if (!(name in defaults) && !all.some(isOptional)) required.push(name);
      const { description, ...remarks } = (Reflect.getMetadata(REMARKS, type.prototype as object, name) ??
        {}) as Schema;
      const rules = use === 'checks' && all.some(hasCondition) ? [] : all;
      const schema = withNull({ ...merged(rules, use), ...remarks });
      return [
        name,
        use === 'readers' ? documented({ ...schema, ...withoutAbsent({ description }) }) : schema,
      ];
    });
  const names = Reflect.getMetadata(NAMES, type) as Schema | undefined;
  const schema = { type: 'object', properties: Object.fromEntries(fields), required, ...names };
  return use === 'readers' ? documented(schema) : schema;
};

const isOptional = ({ type }: ValidationMetadata): boolean =>
  type === ValidationTypes.CONDITIONAL_VALIDATION || type === IS_EMPTY;

/** Whether it is a condition that no schema expresses, such as `@ValidateIf()`. Then class-validator always runs. */
const hasCondition = (meta: ValidationMetadata): boolean =>
  meta.type === ValidationTypes.CONDITIONAL_VALIDATION && CONVERTERS[meta.type]?.(meta, 'code') === undefined;

const merged = (metas: readonly ValidationMetadata[], use: Use): Schema => {
  let schema: Schema = {};
  for (const meta of metas) {
    // A constraint of each item accepts a value that is no list, so the schema refuses such a value in any case.
    const part = CONVERTERS[meta.type]?.(meta, use) ?? {};
    schema = meta.each
      ? { ...schema, items: { ...(schema['items'] as Schema | undefined), ...part }, type: 'array' }
      : { ...schema, ...part };
  }
  return schema;
};
