import { defaultMetadataStorage } from 'class-transformer/cjs/storage';

import { type Constructor, defaultsOf, namesOf } from './schema-of';

/** The library's name for the direction from JSON to an instance. */
const PLAIN_TO_CLASS = 0;

const known = new WeakMap<Constructor, boolean>();

/**
 * Whether the instance of an input class differs from its JSON: by methods, default values, or decorators of
 * class-transformer. Other inputs stay plain objects, which costs nothing.
 */
export const isTransformed = (type: Constructor): boolean => {
  let differs = known.get(type);
  if (differs === undefined) {
    known.set(type, false); // A class that contains itself adds nothing.
    differs = hasMethods(type) || Object.keys(defaultsOf(type)).length > 0 || hasTransforms(type);
    known.set(type, differs);
  }
  return differs;
};

const hasMethods = (type: Constructor): boolean => {
  let prototype = type.prototype as object | null;
  while (prototype !== null && prototype !== Object.prototype) {
    if (Object.getOwnPropertyNames(prototype).length > 1) return true;
    prototype = Object.getPrototypeOf(prototype) as object | null;
  }
  return false;
};

const hasTransforms = (type: Constructor): boolean =>
  defaultMetadataStorage.getExposedMetadatas(type).length > 0 ||
  defaultMetadataStorage.getExcludedMetadatas(type).length > 0 ||
  namesOf(type).some((name) => {
    const nested = defaultMetadataStorage.findTypeMetadata(type, name)?.typeFunction(undefined) as
      | Constructor
      | undefined;
    const isOther = nested !== undefined && (namesOf(nested).length === 0 || isTransformed(nested));
    return (
      isOther || defaultMetadataStorage.findTransformMetadatas(type, name, PLAIN_TO_CLASS as never).length > 0
    );
  });
