import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '../../platform/queue/scheduled-processor';
import { KeyReserves } from '../ledger/key-reserves';

/** Gives back what is set aside for keys whose time is up, or whose process died while it was to do so. */
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
