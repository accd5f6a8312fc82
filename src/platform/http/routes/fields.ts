import { ApiProperty, type ApiPropertyOptions, ApiSchema } from '@nestjs/swagger';

import { withoutAbsent } from '../../../kernel/present';

/** The part of JSON Schema that our fields use. */
export type Schema = { readonly [keyword: string]: unknown };

type Constructor = abstract new (...args: never[]) => object;

interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly about?: string;
  /** Late, because classes refer to each other. */
  readonly schema: (nested: (type: Constructor) => Schema) => Schema;
}

interface Common {
  readonly about?: string;
  readonly optional?: boolean;
  readonly example?: unknown;
}

const FIELDS = Symbol('fields');
const NAMES = Symbol('names');

/**
 * Declares one field: the rule that the validator compiles and the documentation are the same object, so that
 * they can't drift apart.
 */
const declare =
  (common: Common, schema: Field['schema'], docs: ApiPropertyOptions): PropertyDecorator =>
  (target, key) => {
    const own = (Reflect.getOwnMetadata(FIELDS, target) as Field[] | undefined) ?? [];
    const field: Field = {
      name: String(key),
      required: common.optional !== true,
      about: common.about,
      schema,
    };
    Reflect.defineMetadata(FIELDS, [...own, field], target);
    const extra = { description: common.about, required: common.optional !== true, example: common.example };
    ApiProperty({ ...docs, ...JSON.parse(JSON.stringify(extra)) } as ApiPropertyOptions)(target, key);
  };

const plain = (common: Common, schema: Schema): PropertyDecorator =>
  declare(common, () => withoutAbsent(schema), DOCUMENTED(withoutAbsent(schema)) as ApiPropertyOptions);

/** `plainText` and `noSlipOf` are our own keywords; a reader of the document gains nothing from them. */
const DOCUMENTED = ({ plainText: _, noSlipOf: __, ...schema }: Schema): Schema => schema;

/** Text without control characters or broken Unicode: Postgres can't store either. Lengths are code points. */
export const TextField = (
  field: Common & { min?: number; max: number; pattern?: string; format?: string },
): PropertyDecorator =>
  plain(field, {
    type: 'string',
    minLength: field.min,
    maxLength: field.max,
    pattern: field.pattern,
    format: field.format,
    plainText: true,
  });

export const WholeField = (
  field: Common & { min: number; max: number; default?: number },
): PropertyDecorator =>
  plain(field, { type: 'integer', minimum: field.min, maximum: field.max, default: field.default });

export const NumberField = (
  field: Common & { min?: number; max?: number; above?: number; default?: number },
): PropertyDecorator =>
  plain(field, {
    type: 'number',
    minimum: field.min,
    exclusiveMinimum: field.above,
    maximum: field.max,
    default: field.default,
  });

export const FlagField = (field: Common & { default?: boolean } = {}): PropertyDecorator =>
  plain(field, { type: 'boolean', default: field.default });

export const ChoiceField = (
  values: readonly string[],
  field: Common & { default?: string } = {},
): PropertyDecorator => plain(field, { type: 'string', enum: values, default: field.default });

export const WalletField = (field: Common = {}): PropertyDecorator =>
  plain(field, { type: 'string', pattern: '^0x[a-fA-F0-9]{40}$' });

export const WhenField = (field: Common = {}): PropertyDecorator =>
  plain(field, { type: 'string', format: 'date-time' });

/** A field whose rule is written out as JSON Schema, for what the others can't say. */
export const SchemaField = (field: Common, schema: Schema): PropertyDecorator => plain(field, schema);

// Swagger takes a function for a late type only when it is named `type`, as one written in this place is.
export const ObjectField = (type: () => Constructor, field: Common = {}): PropertyDecorator =>
  declare(field, (nested) => nested(type()), { type: () => type() });

export const ListField = (
  type: () => Constructor,
  field: Common & { min?: number; max?: number } = {},
): PropertyDecorator => {
  const size = withoutAbsent({ minItems: field.min, maxItems: field.max });
  return declare(field, (nested) => ({ type: 'array', ...size, items: nested(type()) }), {
    type: () => type(),
    isArray: true,
    ...size,
  });
};

/** The body has no other names than its fields: a misspelt restriction is a 400, not a call or a key without it. */
export const OnlyKnownNames = (): ClassDecorator => (target) => {
  const names: Schema = { additionalProperties: false };
  Reflect.defineMetadata(NAMES, names, target);
  // Swagger writes into a schema what it does not know.
  ApiSchema(names as Parameters<typeof ApiSchema>[0])(target);
};

/** Other names are ignored, except one that is probably a misspelt name of a field that restricts. */
export const NoSlipOf =
  (...names: readonly string[]): ClassDecorator =>
  (target) => {
    Reflect.defineMetadata(NAMES, { noSlipOf: names } satisfies Schema, target);
  };

/** The declarations of a class and of those it extends, the eldest first. */
const fieldsOf = (type: Constructor): readonly Field[] => {
  const fields: Field[] = [];
  for (
    let proto = type.prototype as object;
    proto !== Object.prototype;
    proto = Object.getPrototypeOf(proto)
  ) {
    fields.unshift(...((Reflect.getOwnMetadata(FIELDS, proto) as Field[] | undefined) ?? []));
  }
  return fields;
};

const objectOf = (type: Constructor, schema: (field: Field) => Schema): Schema => {
  const fields = fieldsOf(type);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, schema(field)])),
    required: fields.filter((field) => field.required).map((field) => field.name),
    ...(Reflect.getMetadata(NAMES, type) as Schema | undefined),
  };
};

/** The one JSON Schema of a class, which its bodies are validated by. */
export const schemaOf = (type: Constructor): Schema => objectOf(type, (field) => field.schema(schemaOf));

/** The same for readers: with what each field is for, and without the keywords that only our validator knows. */
export const describedSchemaOf = (type: Constructor): Schema =>
  DOCUMENTED(
    objectOf(type, ({ about, schema }) =>
      withoutAbsent({ ...DOCUMENTED(schema(describedSchemaOf)), description: about }),
    ),
  );
