import type { Type } from '@nestjs/common';

import type { FoundWork } from './charge';
import type { Charge } from './charge.entity';

/** Finds the outcome of the work of charges whose process died. */
export interface WorkLookUp {
  lookUp(charge: Charge): Promise<FoundWork>;
}

/**
 * The form of a name that the database requires. The start checks names, because a wrong name would make every charge
 * of its operation fail.
 */
const NAME = /^[a-z][a-z0-9_]{0,29}$/;

/** The purpose of a charge. */
export interface Operation {
  /** The name in charges and in the database: lower-case letters, digits and `_`. */
  readonly name: string;
  /** The product as a sentence, for the 402. */
  readonly sold: string;
  /** The class that can find the outcome of the work; absent if the work ends with its process. */
  readonly work?: Type<WorkLookUp>;
}

/** Operations whose money moves in a special way, so SQL statements name them. All other operations work alike. */
export const OPERATION = {
  /** The service holds the worst case, and charges the use out of the hold. */
  byUse: 'studio',
  /** The charged money is credited to the paying wallet. */
  topUp: 'top_up',
} as const;

/** The model name of charges for top-ups. */
export const TOP_UP_MODEL = 'top-up';

const declared = new Map<string, Operation>();

/** Each feature declares its operations once. */
export const declareOperation = (operation: Operation): Operation => {
  if (!NAME.test(operation.name)) throw new Error(`${operation.name} is no name of an operation.`);
  const other = declared.get(operation.name);
  if (other !== undefined)
    throw new Error(`Two operations are named ${operation.name}: "${other.sold}" and "${operation.sold}"`);
  declared.set(operation.name, operation);
  return operation;
};

export const operationCalled = (name: string): Operation | undefined => declared.get(name);
