import { Injectable } from '@nestjs/common';

import { paced } from '#platform/background/paced';
import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { LogPublisher } from './log-publisher';
import { LogSealer, type Sealed } from './log-sealer';
import { TransparencyRepository } from './transparency.repository';
import { TransparencyMetrics } from './transparency.metrics';
import { Witnesses } from './witnesses';

/** The number of batches between two checkpoints, so that the sealing of a long history also signs checkpoints. */
const BATCHES = 50;

/** Seals committed rows, signs the log, and asks the witnesses. */
@Injectable()
export class TransparencyProcessor extends ScheduledProcessor {
  readonly name = 'transparency';
  /** Half of the ten seconds in which an entry must be sealed, so that one late run does not exceed them. */
  readonly everyMs = 5_000;
  /** A database is restored while no process runs, so the first run compares it with the signed head. */
  private hasCompared = false;

  constructor(
    private readonly log: TransparencyRepository,
    private readonly sealer: LogSealer,
    private readonly publisher: LogPublisher,
    private readonly witnesses: Witnesses,
    private readonly metrics: TransparencyMetrics,
  ) {
    super();
  }

  async run(): Promise<void> {
    if ((await this.log.current()) === undefined) await this.publisher.begin();
    for (let sealed: Sealed = 'more'; sealed === 'more';) {
      for (let batch = 0; sealed === 'more' && batch < BATCHES; batch += 1) {
        // A backlog of a million entries takes some three minutes, and thousands of calls a second are sealed in time.
        sealed = await paced(
          () => this.sealer.seal(),
          (end) => end === 'more',
        );
      }
      if (sealed === 'done') this.metrics.sealedAt(new Date());
      const published = await this.publisher.publish(!this.hasCompared);
      if (published.outcome !== 'busy') this.hasCompared = true;
      if (published.outcome === 'behind') {
        await this.publisher.beginBehind(published.log, published.head);
        sealed = 'more';
      }
    }
    await this.witnesses.cosign();
  }
}
