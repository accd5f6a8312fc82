import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';

import type { FoundWork } from './charge';
import type { Charge } from './charge.entity';
import { operationCalled } from './operation';

/** Finds the outcomes of the work of charges whose process died, by their operations. */
@Injectable()
export class WorkOutcomes {
  constructor(private readonly modules: ModuleRef) {}

  /**
   * Work without a class that can find it counts as not done: a text can't be fetched again, so we bear its cost. An
   * operation that this process does not know belongs to another version of the service. Its charges wait for that
   * version.
   */
  async lookUp(charge: Charge): Promise<FoundWork> {
    const operation = operationCalled(charge.operation);
    if (operation === undefined) return { outcome: 'unknown' };
    return operation.work === undefined
      ? { outcome: 'not-done' }
      : this.modules.get(operation.work, { strict: false }).lookUp(charge);
  }
}
