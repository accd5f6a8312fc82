import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';

import type { FoundWork } from './charge';
import type { Charge } from './charge.entity';
import { operationCalled } from './operation';

/**
 * Finds the outcome of a charge's work after its process died. The charge's operation names the class that can find it.
 */
@Injectable()
export class WorkOutcomes {
  constructor(private readonly modules: ModuleRef) {}

  /**
   * If no class can find the work, it counts as not done: a text can't be fetched again, so the service bears its cost.
   * An operation that this process does not know belongs to another version of the service, so its charges wait for
   * that version.
   */
  async lookUp(charge: Charge): Promise<FoundWork> {
    const operation = operationCalled(charge.operation);
    if (operation === undefined) return { outcome: 'unknown' };
    return operation.work === undefined
      ? { outcome: 'not-done' }
      : this.modules.get(operation.work, { strict: false }).lookUp(charge);
  }
}
