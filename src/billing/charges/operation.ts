import type { Type } from '@nestjs/common';

import type { FoundWork } from './charge';
import type { Charge } from './charge.entity';

/** Says what became of the work of a charge whose process is gone. */
export interface WorkLookUp {
  lookUp(charge: Charge): Promise<FoundWork>;
}

/** As the database wants it, so that no charge is the first to hear of it. */
const NAME = /^[a-z][a-z0-9_]{0,29}$/;

/** What a charge can be for. */
export interface Operation {
  /** The word that its charges carry, in the database, too: small letters, digits and `_`. */
  readonly name: string;
  /** What is sold, as a sentence: the 402 says it. */
  readonly sold: string;
  /** Who can look for the work; absent where it ends with its process. */
  readonly work?: Type<WorkLookUp>;
}

/** Those whose money moves in a way of its own, so that statements name them. All others are alike. */
export const OPERATION = {
  /** Charged by use: its worst case is set aside, and what was used is taken out of that. */
  byUse: 'studio',
  /** What it charges is credited to the wallet that paid. */
  topUp: 'top_up',
} as const;

/** What the charges of top-ups name as their model. */
export const TOP_UP_MODEL = 'top-up';

const declared = new Map<string, Operation>();

/** Each feature declares its own, once. */
export const declareOperation = (operation: Operation): Operation => {
  if (!NAME.test(operation.name)) throw new Error(`${operation.name} is no name of an operation.`);
  const other = declared.get(operation.name);
  if (other !== undefined)
    throw new Error(`Two operations are named ${operation.name}: "${other.sold}" and "${operation.sold}"`);
  declared.set(operation.name, operation);
  return operation;
};

export const operationCalled = (name: string): Operation | undefined => declared.get(name);
