import { Injectable } from '@nestjs/common';

import { DelegatedKeysService } from '../delegation/delegated-keys.service';
import { newId } from '../kernel/ids';
import { expiredLine } from './batch-answers';
import { BatchRepository } from './batch.repository';
import { BatchVault } from './batch-vault';

const BATCH = 500;

/** Ends batches: their answers become files, and unused money is returned. Each step may be repeated. */
@Injectable()
export class BatchEnds {
  constructor(
    private readonly batches: BatchRepository,
    private readonly keys: DelegatedKeysService,
    private readonly vault: BatchVault,
  ) {}

  async endFinished(): Promise<void> {
    for (const id of await this.batches.finished()) {
      await this.batches.end(id, { output: newId('file'), error: newId('file') });
    }
    for (const { owner, payingKeyId } of await this.batches.endedWithKey()) {
      await this.keys.endWork(owner, payingKeyId);
    }
  }

  /** Answers the calls that did not begin within the day. */
  async expire(): Promise<void> {
    for (;;) {
      const lines = await this.batches.expiring(BATCH);
      if (lines.length === 0) return;
      await this.batches.expire(
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
