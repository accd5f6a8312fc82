import { Injectable } from '@nestjs/common';

import type { WorkOutcome } from './charge';
import type { Charge, Operation } from './charge';

type Look = (charge: Charge) => Promise<WorkOutcome>;

/** Who can say what became of the work of a charge whose process is gone: each feature says it for its own. */
@Injectable()
export class WorkRegister {
  private readonly looks = new Map<Operation, Look>();

  register(operation: Operation, look: Look): void {
    this.looks.set(operation, look);
  }

  /** Work that nobody vouches for did not happen: a text can't be fetched again, so its cost is ours. */
  async outcomeOf(charge: Charge): Promise<WorkOutcome> {
    return (await this.looks.get(charge.operation)?.(charge)) ?? 'not-done';
  }
}
