import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions, ApiSchema } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';

import { withoutAbsent } from '#kernel/present';
import { fits, isPlainText } from './json-schema';
import {
  ABOVE,
  type Constructor,
  FITS_SCHEMA,
  NAMES,
  PLAIN_TEXT,
  REMARKS,
  type Schema,
  documented,
  isPresent,
} from './schema-of';

interface Common {
  readonly about?: string;
  readonly optional?: boolean;
  readonly example?: unknown;
}

/**
 * A field combines decorators of class-validator and of Swagger: the rule and its documentation are declared together,
 * so they can't differ. `schema-of.ts` makes the schema from them, and that schema checks bodies.
 */
const field = (
  { about, optional = false, example }: Common,
  docs: object,
  ...rules: readonly PropertyDecorator[]
): PropertyDecorator => {
  const { format, default: value } = docs as Schema;
  return applyDecorators(
    ...rules,
    ...(optional ? [ValidateIf(isPresent)] : []),
    Reflect.metadata(REMARKS, withoutAbsent({ format, default: value, description: about })),
    ApiProperty({
      ...docs,
      required: !optional,
      ...withoutAbsent({ description: about, example }),
    } as ApiPropertyOptions),
  );
};

/** A field whose schema declares its rules. */
const plain = (common: Common, schema: Schema, ...rules: readonly PropertyDecorator[]): PropertyDecorator =>
  field(common, documented(withoutAbsent(schema)), ...rulesOf(schema), ...rules);

const TYPES: Readonly<Record<string, () => PropertyDecorator>> = {
  string: IsString,
  integer: IsInt,
  number: IsNumber,
  boolean: IsBoolean,
  array: IsArray,
};

/** The decorator of class-validator for each keyword of a schema. */
const RULES: Readonly<Record<string, (value: never) => PropertyDecorator>> = {
  minLength: MinLength,
  maxLength: MaxLength,
  pattern: (source: string) => Matches(new RegExp(source)),
  minimum: Min,
  exclusiveMinimum: (least: number) => IsAbove(least),
  maximum: Max,
  enum: IsIn,
  minItems: ArrayMinSize,
  maxItems: ArrayMaxSize,
};

const rulesOf = ({ type, ...rest }: Schema): readonly PropertyDecorator[] => [
  ...Object.entries(withoutAbsent(rest)).flatMap(([name, value]) => RULES[name]?.(value as never) ?? []),
  TYPES[type as string]!(),
];

const IsPlainText = (): PropertyDecorator =>
  ValidateBy({
    name: PLAIN_TEXT,
    validator: {
      validate: (text): boolean => typeof text === 'string' && isPlainText(text),
      defaultMessage: () => '$property must not hold control characters or broken Unicode',
    },
  });

const IsAbove = (least: number): PropertyDecorator =>
  ValidateBy({
    name: ABOVE,
    constraints: [least],
    validator: {
      validate: (value): boolean => typeof value === 'number' && value > least,
      defaultMessage: () => '$property must be above $constraint1',
    },
  });

const FitsSchema = (schema: Schema): PropertyDecorator =>
  ValidateBy({
    name: FITS_SCHEMA,
    constraints: [schema],
    validator: {
      validate: (value): boolean => fits(schema, value),
      defaultMessage: () => '$property does not have the form that the document says',
    },
  });

/**
 * A text without control characters and broken Unicode, because Postgres can't store these. Lengths count code points.
 */
export const TextField = (
  rules: Common & { min?: number; max: number; pattern?: string; format?: string },
): PropertyDecorator => {
  const { min, max, pattern, format } = rules;
  return plain(rules, { type: 'string', minLength: min, maxLength: max, pattern, format }, IsPlainText());
};

export const WholeField = (
  rules: Common & { min: number; max: number; default?: number },
): PropertyDecorator => {
  const { min, max, default: value } = rules;
  return plain(rules, { type: 'integer', minimum: min, maximum: max, default: value });
};

/** A number of things, or an amount. Any number that JSON can hold exactly. */
export const AmountField = (rules: Common & { min?: number; default?: number } = {}): PropertyDecorator =>
  WholeField({ min: 0, max: Number.MAX_SAFE_INTEGER, ...rules });

export const NumberField = (
  rules: Common & { min?: number; max?: number; above?: number; default?: number },
): PropertyDecorator => {
  const { min, max, above, default: value } = rules;
  return plain(rules, {
    type: 'number',
    minimum: min,
    exclusiveMinimum: above,
    maximum: max,
    default: value,
  });
};

export const FlagField = (rules: Common & { default?: boolean } = {}): PropertyDecorator =>
  plain(rules, { type: 'boolean', default: rules.default });

export const ChoiceField = (
  values: readonly string[],
  rules: Common & { default?: string } = {},
): PropertyDecorator => plain(rules, { type: 'string', enum: values, default: rules.default });

export const WalletField = (rules: Common = {}): PropertyDecorator =>
  plain(rules, { type: 'string', pattern: '^0x[a-fA-F0-9]{40}$' });

export const WhenField = (rules: Common = {}): PropertyDecorator =>
  plain(rules, { type: 'string', format: 'date-time' });

export const TEXT_OR_NULL = { oneOf: [{ type: 'string' }, { type: 'null' }] };

/** A field with a handwritten JSON Schema, for rules that the other decorators can't express. */
export const SchemaField = (rules: Common, schema: Schema): PropertyDecorator =>
  field(rules, documented(schema), FitsSchema(schema));

// Swagger accepts a function that returns a type only if the function's name is `type`. A function under this key gets
// that name.
export const ObjectField = (type: () => Constructor, rules: Common = {}): PropertyDecorator =>
  field(rules, { type: () => type() }, ValidateNested(), Type(type as never));

export const ListField = (
  type: () => Constructor,
  rules: Common & { min?: number; max?: number } = {},
): PropertyDecorator => {
  const sizes = withoutAbsent({ minItems: rules.min, maxItems: rules.max });
  return field(
    rules,
    { type: () => type(), isArray: true, ...sizes },
    ...rulesOf({ type: 'array', ...sizes }),
    ValidateNested({ each: true }),
    Type(type as never),
  );
};

/**
 * The body may contain only the names of its fields. A misspelt restriction is therefore a 400 instead of an
 * unrestricted call or key.
 */
export const OnlyKnownNames = (): ClassDecorator => (target) => {
  const names: Schema = { additionalProperties: false };
  Reflect.defineMetadata(NAMES, names, target);
  // Swagger copies keywords that it does not know into the schema.
  ApiSchema(names as Parameters<typeof ApiSchema>[0])(target);
};

/**
 * The body may contain other names, except probable misspellings of the listed fields, which restrict the call. The
 * rule of the base class holds as well.
 */
export const NoSlipOf =
  (...names: readonly string[]): ClassDecorator =>
  (target) => {
    const inherited = (Reflect.getMetadata(NAMES, target) ?? {}) as { readonly noSlipOf?: readonly string[] };
    const noSlipOf = [...(inherited.noSlipOf ?? []), ...names];
    Reflect.defineMetadata(NAMES, { ...inherited, noSlipOf } satisfies Schema, target);
  };
