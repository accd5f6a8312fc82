import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { KeyReserves } from '../ledger/key-reserves';

/** Returns the reserves of expired keys, and of keys whose process died before it returned them. */
@Injectable()
export class ReserveSweepProcessor extends ScheduledProcessor {
  readonly name = 'reserve-sweep';
  readonly everyMs = 10_000;

  constructor(private readonly reserves: KeyReserves) {
    super();
  }

  run(): Promise<void> {
    return this.reserves.giveBack();
  }
}
