import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { X402Finality } from '../rails/x402/settlement/x402-finality';

/** A node answers about a hundred requests a second, and requests of waiting calls have priority. */
const AT_ONCE = 5;

/** Checks accepted payments until they are final on the chain. */
@Injectable()
export class FinalityProcessor extends ScheduledProcessor {
  readonly name = 'finality';
  readonly everyMs = 5_000;

  constructor(private readonly finality: X402Finality) {
    super();
  }

  async run(): Promise<void> {
    const until = Date.now() + this.everyMs;
    while (Date.now() < until) {
      const due = await this.finality.due(AT_ONCE);
      await Promise.all(
        due.map((payment) =>
          this.finality.check(payment).catch((error: unknown) => {
            this.logger.warn(
              { err: error, chargeId: payment.chargeId },
              'A payment could not be checked again.',
            );
          }),
        ),
      );
      if (due.length < AT_ONCE) return;
    }
  }
}
