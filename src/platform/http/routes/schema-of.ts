import { defaultMetadataStorage } from 'class-transformer/cjs/storage';
import { ValidationTypes, getMetadataStorage } from 'class-validator';
import { targetConstructorToSchema } from 'class-validator-jsonschema';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';

/** The part of JSON Schema that our fields use. */
export type Schema = { readonly [keyword: string]: unknown };

export type Constructor = abstract new (...args: never[]) => object;

/** The names of our own constraints, which `fields.ts` declares. */
export const PLAIN_TEXT = 'plainText';
export const ABOVE = 'isAbove';
export const FITS_SCHEMA = 'fitsSchema';
/** The properties in which `OnlyKnownNames` and `NoSlipOf` store their keyword. */
export const NAMES = Symbol('names');
/**
 * The condition for optional fields: they may be absent. `IsOptional` would also allow null, so our fields do not use
 * it.
 */
export const isPresent = (_: object, value: unknown): boolean => value !== undefined;

type Converter = (meta: ValidationMetadata) => Schema | undefined;

const first = ({ constraints }: ValidationMetadata): unknown => (constraints as unknown[] | undefined)?.[0];

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
  [ValidationTypes.NESTED_VALIDATION]: (meta) => {
    const type = nestedType(meta);
    return type !== undefined && saysAll(type) ? {} : undefined;
  },
  [ValidationTypes.CONDITIONAL_VALIDATION]: (meta) => {
    if (first(meta) === isPresent) return {};
    return meta.name === 'isOptional' ? { nullable: true } : undefined;
  },
  [PLAIN_TEXT]: () => ({ plainText: true }),
  [ABOVE]: (meta) => ({ exclusiveMinimum: first(meta) }),
  [FITS_SCHEMA]: (meta) => first(meta) as Schema,
};

/** Every constraint of a class and of its parents, by class-validator's name. */
const constraintsOf = (type: Constructor): readonly ValidationMetadata[] => {
  const storage = getMetadataStorage();
  return storage.getTargetValidationMetadatas(type, '', true, false).map((meta) => {
    const [constraint] = meta.constraintCls ? storage.getTargetValidatorConstraints(meta.constraintCls) : [];
    return Object.assign(Object.create(meta) as ValidationMetadata, {
      type: constraint?.name ?? meta.type,
    });
  });
};

const converted = (meta: ValidationMetadata): Schema | undefined => CONVERTERS[meta.type]?.(meta);

/** The default message of `ValidateNested`. */
const NESTED_MESSAGE = /^(each value in )?nested property \$property must be either object or array$/;

const hasOwnMessage = ({ message }: ValidationMetadata): boolean =>
  message !== undefined && !(typeof message === 'string' && NESTED_MESSAGE.test(message));

/**
 * Whether a schema expresses the constraint exactly. A schema has no messages and no groups, so class-validator checks
 * constraints with these.
 */
const isExact = (meta: ValidationMetadata): boolean =>
  !hasOwnMessage(meta) && (meta.groups ?? []).length === 0 && converted(meta) !== undefined;

const nestedIn = (meta: ValidationMetadata, schema: (type: Constructor) => Schema): Schema | undefined => {
  const type = nestedType(meta);
  return type && schema(type);
};

const known = new WeakMap<Constructor, boolean>();

/** Whether the schema of a class expresses all its decorators. If not, class-validator checks bodies as well. */
export const saysAll = (type: Constructor): boolean => {
  let exact = known.get(type);
  if (exact === undefined) {
    known.set(type, true); // If the class contains itself, the inner use counts as exact, so that the recursion ends.
    exact = constraintsOf(type).every(isExact);
    known.set(type, exact);
  }
  return exact;
};

/** The names of the fields in order of declaration. Those of the base class come first. */
export const namesOf = (type: Constructor): readonly string[] => {
  const parent = Object.getPrototypeOf(type) as Constructor | null;
  const inherited = parent === null || parent.name === '' ? [] : namesOf(parent);
  const own = getMetadataStorage()
    .getTargetValidationMetadatas(type, '', true, false)
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

const withoutDescription = ({ description: _, ...schema }: Schema): Schema => schema;

/**
 * Makes the schema of each class only once, because several bodies use the same class, and each conversion reads the
 * metadata of all classes.
 */
const once = (make: (type: Constructor) => Schema): ((type: Constructor) => Schema) => {
  const schemas = new WeakMap<Constructor, Schema>();
  return (type) => {
    const schema = schemas.get(type) ?? make(type);
    schemas.set(type, schema);
    return schema;
  };
};

/** Makes the JSON Schema of a class from the metadata of class-validator. */
export const schemaOf = once((type) => made(type, withoutDescription, schemaOf));

/** `of` changes the schema of each field, and `nested` makes the schema of a class within it. */
const made = (type: Constructor, of: (field: Schema) => Schema, nested: typeof schemaOf): Schema => {
  const { properties = {}, required = [] } = targetConstructorToSchema(type as never, {
    classTransformerMetadataStorage: defaultMetadataStorage,
    additionalConverters: Object.fromEntries(
      Object.keys(CONVERTERS).map((name) => [
        name,
        (meta: ValidationMetadata) =>
          (meta.type === ValidationTypes.NESTED_VALIDATION ? nestedIn(meta, nested) : converted(meta)) ?? {},
      ]),
    ),
  }) as { properties?: Readonly<Record<string, Schema>>; required?: readonly string[] };
  const names = namesOf(type).filter((name) => name in properties);
  const defaults = defaultsOf(type);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, of(withNull(properties[name]!))])),
    required: names.filter((name) => required.includes(name) && !(name in defaults)),
    ...(Reflect.getMetadata(NAMES, type) as Schema | undefined),
  };
};

/** Removes our own keywords, which do not help a reader of a document. */
export const documented = ({ plainText: _, noSlipOf: __, ...schema }: Schema): Schema => schema;

/**
 * The schema for readers: with the description of each field, and without the keywords that only our validator knows.
 */
export const describedSchemaOf = once((type) => documented(made(type, documented, describedSchemaOf)));
