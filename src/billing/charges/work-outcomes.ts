import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';

import type { FoundWork } from './charge';
import type { Charge } from './charge.entity';
import { operationCalled } from './operation';

/** What became of the work of charges whose process is gone, as their operations can tell. */
@Injectable()
export class WorkOutcomes {
  constructor(private readonly modules: ModuleRef) {}

  /**
   * Work that nobody can look for did not happen: a text can't be fetched again, so its cost is ours. What this process
   * has never heard of belongs to another version of the service, and waits for it.
   */
  async lookUp(charge: Charge): Promise<FoundWork> {
    const operation = operationCalled(charge.operation);
    if (operation === undefined) return { outcome: 'unknown' };
    return operation.work === undefined
      ? { outcome: 'not-done' }
      : this.modules.get(operation.work, { strict: false }).lookUp(charge);
  }
}
