import { Injectable, Logger } from '@nestjs/common';

import { DelegatedKeysService } from '#people/delegation/delegated-keys.service';
import { newId } from '#kernel/ids';
import { expiredLine } from './batch-answers';
import { SweepPauses } from '#platform/queue/sweep-pause.repository';
import { BatchLineRepository } from './batch-line.repository';
import { BATCH_CANCELS, BATCH_ENDS, BATCH_KEYS, BatchRepository } from './batch.repository';
import { BatchVault } from './batch-vault';

const BATCH = 500;

/** Ends batches: their answers become files, and unused money is returned. Each step may be repeated. */
@Injectable()
export class BatchEnds {
  private readonly logger = new Logger(BatchEnds.name);

  constructor(
    private readonly batches: BatchRepository,
    private readonly lines: BatchLineRepository,
    private readonly keys: DelegatedKeysService,
    private readonly vault: BatchVault,
    private readonly pauses: SweepPauses,
  ) {}

  /** Cancels batches that nobody pays any more. */
  async cancelWithoutKey(): Promise<void> {
    for (const id of await this.batches.withoutKey()) {
      await this.alone(BATCH_CANCELS, id, () => this.batches.cancel(id));
    }
  }

  async endFinished(): Promise<void> {
    for (const id of await this.batches.finished()) {
      await this.alone(BATCH_ENDS, id, () =>
        this.batches.end(id, { output: newId('file'), error: newId('file') }),
      );
    }
    for (const { owner, payingKeyId } of await this.batches.endedWithKey()) {
      await this.alone(BATCH_KEYS, payingKeyId, () => this.keys.endWork(owner, payingKeyId));
    }
  }

  /** A batch that can't be ended holds up no other. */
  private async alone(sweep: string, id: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      await this.pauses.done(sweep, id);
    } catch (error) {
      this.logger.warn({ err: error, id }, 'A batch could not be ended; it is tried again later.');
      await this.pauses.failed(sweep, id);
    }
  }

  /** Answers the calls that did not begin within the day. */
  async expire(): Promise<void> {
    for (;;) {
      const lines = await this.lines.expiring(BATCH);
      if (lines.length === 0) return;
      await this.lines.expire(
        lines.map((line) => {
          const text = expiredLine(line);
          return {
            ...line,
            answer: this.vault.seal(line.owner, text),
            answerBytes: Buffer.byteLength(text),
          };
        }),
      );
    }
  }
}
