import { Ajv, type FuncKeywordDefinition, type ValidateFunction } from 'ajv';

import { getOrMake } from '#kernel/maps';
import { meantBy } from './misspelt-names';
import type { Schema } from './schema-of';

// Tab, line feed and carriage return are allowed, because prompts contain them; other control characters are not.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Text that Postgres can store and a terminal can show. */
export const isPlainText = (text: string): boolean => text.isWellFormed() && !CONTROL.test(text);

/** The check compares at most this many unknown names, so a body with very many names takes no longer. */
const NAMES_CHECKED_MAX = 500;

type DataValidate = ReturnType<NonNullable<FuncKeywordDefinition['compile']>>;

/** Refuses probable misspellings of the listed fields; other unknown names are ignored. */
const noSlipOf: FuncKeywordDefinition = {
  keyword: 'noSlipOf',
  type: 'object',
  schemaType: 'array',
  errors: true,
  compile: (names: readonly string[], parent): DataValidate => {
    const known = new Set(Object.keys((parent['properties'] ?? {}) as object));
    const validate: DataValidate = (body: object) => {
      for (const name of Object.keys(body).slice(0, NAMES_CHECKED_MAX)) {
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

// The checks coerce no value and set no default, because the service prices and hashes the body that the caller sent.
const ajvOf = (allErrors: boolean): Ajv =>
  new Ajv({
    allErrors,
    coerceTypes: false,
    useDefaults: false,
    strict: true,
    strictRequired: false,
    verbose: true,
    // Optimisation makes no check faster. It would take a third of the compilation, and compilation is a tenth of a
    // start.
    code: { optimize: false },
  })
    .addFormat('date', true)
    .addFormat('date-time', true)
    .addFormat('uri', true)
    .addFormat('email', true)
    .addKeyword({
      keyword: 'plainText',
      type: 'string',
      schemaType: 'boolean',
      validate: (_: boolean, text: string) => isPlainText(text),
      error: { message: 'must not hold control characters or broken Unicode' },
    })
    .addKeyword(noSlipOf);

const ajv = ajvOf(false);

export const compile = (schema: Schema): ValidateFunction => ajv.compile(schema as Schema & { $id?: string });

/** A check that finds all faults of a value. Compiled for each use, which is rare. */
export const compileForAll = (schema: Schema): ValidateFunction =>
  ajvOf(true).compile(schema as Schema & { $id?: string });

const compiled = new WeakMap<Schema, ValidateFunction>();

/** Compiles a schema once, and returns a function that checks whether a value fits it. */
export const fits = (schema: Schema, value: unknown): boolean =>
  getOrMake(compiled, schema, () => compile(schema))(value);
