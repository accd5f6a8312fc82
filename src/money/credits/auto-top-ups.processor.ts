import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { AutoTopUpsService } from './auto-top-ups.service';

const BATCH = 100;

/** Charges saved cards of accounts whose balance is low. */
@Injectable()
export class AutoTopUpsProcessor extends ScheduledProcessor {
  readonly name = 'auto-top-ups';
  readonly everyMs = 15_000;

  constructor(private readonly autoTopUps: AutoTopUpsService) {
    super();
  }

  run(): Promise<number> {
    return this.autoTopUps.run(BATCH);
  }
}
