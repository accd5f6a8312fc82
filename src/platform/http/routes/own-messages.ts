import type { ErrorObject } from 'ajv';
import { ValidationTypes, getMetadataStorage, validateSync } from 'class-validator';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';

import { getOrMake } from '#kernel/maps';
import { type Constructor, type FieldRule, nestedClassOf, rulesOfField } from './schema-of';

/** The names and the positions that lead to a fault, and the name that is missing or unknown there. */
export const partsOf = (error: ErrorObject): readonly string[] => {
  const parts = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const { missingProperty, additionalProperty } = error.params as Record<string, string | undefined>;
  const named = missingProperty ?? additionalProperty;
  return named === undefined ? parts : [...parts, named];
};

/** The place of a fault: the field of a class, and the object that has it. */
interface Place {
  readonly type: Constructor;
  readonly holder: object;
  readonly field: string;
  /** True if the fault is in an item of the field's list. */
  readonly isInItem: boolean;
}

/** Follows the path of a fault through the classes of the fields. Undefined where no class declares the field. */
const placeOf = (type: Constructor, body: unknown, path: readonly string[]): Place | undefined => {
  let place: Place | undefined;
  let value = body;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value)) {
      if (place === undefined) return undefined;
      place = { ...place, isInItem: true };
    } else {
      const inner: Constructor | undefined =
        place === undefined ? type : nestedClassOf(place.type, place.field);
      if (inner === undefined) return undefined;
      place = { type: inner, holder: value, field: part, isInItem: false };
    }
    value = (value as Readonly<Record<string, unknown>>)[part];
  }
  return place;
};

/** Whether a rule only says the type, such as `@IsString()`. `@MaxLength()` says a type and a length. */
const saysOnlyType = ({ keywords }: FieldRule): boolean => keywords.length === 1 && keywords[0] === 'type';

/** The rules of a field that a fault breaks. If one only says the type, it alone reports a wrong type. */
const brokenBy = ({ keyword }: ErrorObject, { isInItem }: Place, rules: readonly FieldRule[]) => {
  // An absent field breaks every rule that refuses `undefined`.
  if (keyword === 'required') return rules;
  const broken = rules.filter(
    ({ each, keywords }) => (each ?? false) === isInItem && keywords.includes(keyword),
  );
  const ofType = broken.filter(saysOnlyType);
  return keyword === 'type' && ofType.length > 0 ? ofType : broken;
};

const alone = new WeakMap<ValidationMetadata, new () => object>();

/** A class with this rule alone, so that class-validator asks no other one. */
const classOf = (rule: ValidationMetadata): new () => object =>
  getOrMake(alone, rule, () => {
    const { name } = rule.target as Constructor;
    const { [name]: type } = { [name]: class {} };
    const copy = Object.assign(Object.create(rule) as ValidationMetadata, { target: type });
    getMetadataStorage().addValidationMetadata(copy);
    return type!;
  });

const messageOf = ({ meta }: FieldRule, { prototype }: Constructor, holder: object): string | undefined => {
  const value = (holder as Readonly<Record<string, unknown>>)[meta.propertyName];
  // Only a value that is no object breaks this rule itself. The fields of an object have their own rules.
  if (meta.type === ValidationTypes.NESTED_VALIDATION && value instanceof Object) return undefined;
  // A message may call the methods of its class. A caller may have sent a field `constructor`, by which class-validator
  // finds the rules.
  const one = Object.create(prototype as object, {
    ...Object.getOwnPropertyDescriptors(holder),
    constructor: { value: classOf(meta) },
  }) as object;
  const [problem] = validateSync(one, { forbidUnknownValues: false });
  return Object.values(problem?.constraints ?? {})[0];
};

const firstMessage = (rules: readonly FieldRule[], type: Constructor, holder: object): string | undefined => {
  for (const rule of rules) {
    const message = rule.hasOwnMessage ? messageOf(rule, type, holder) : undefined;
    if (message !== undefined) return message;
  }
  return undefined;
};

/** The message that the broken decorator of a field has itself. Undefined if it has none. */
export const ownMessageOf = (type: Constructor, body: unknown, error: ErrorObject): string | undefined => {
  const place = placeOf(type, body, partsOf(error));
  if (place === undefined) return undefined;
  const rules = rulesOfField(place.type, place.field);
  return firstMessage(brokenBy(error, place, rules), place.type, place.holder);
};

/** The same for a field that class-validator has refused, perhaps for another rule. */
export const ownMessageIn = (holder: object, field: string): string | undefined => {
  const type = holder.constructor as Constructor;
  return firstMessage(rulesOfField(type, field), type, holder);
};
