import type { Type } from '@nestjs/common';

import type { WorkOutcome } from './charge';
import type { Charge } from './charge.entity';

/** Says what became of the work of a charge whose process is gone. */
export interface WorkLookUp {
  outcomeOf(charge: Charge): Promise<WorkOutcome>;
}

/** What a charge can be for. */
export interface Operation {
  /** The word that its charges carry, in the database, too. */
  readonly name: string;
  /** What is sold, as a sentence: the 402 says it. */
  readonly sold: string;
  /** Who can look for the work; absent where it ends with its process. */
  readonly work?: Type<WorkLookUp>;
}

const declared = new Map<string, Operation>();

/** Each feature declares its own, once. */
export const declareOperation = (operation: Operation): Operation => {
  if (declared.has(operation.name)) throw new Error(`There are two operations called ${operation.name}.`);
  declared.set(operation.name, operation);
  return operation;
};

export const operationCalled = (name: string): Operation | undefined => declared.get(name);
