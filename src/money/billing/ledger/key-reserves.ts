import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';

import { EndedKeyNotifier } from '#people/keys/ended-key-notifier';
import type { Micro } from '#kernel/money';
import { SweepPauses } from '#platform/queue/sweep-pause.repository';
import { RESERVE_ENDS } from './key-reserve.sql';
import { KeyReserveRepository, type ReserveSource } from './key-reserve.repository';

const BATCH = 100;

/** Returns the reserves of ended keys: at once after a notification of `EndedKeyNotifier`, and otherwise in a sweep. */
@Injectable()
export class KeyReserves implements OnModuleInit {
  private readonly logger = new Logger(KeyReserves.name);

  constructor(
    private readonly reserves: KeyReserveRepository,
    private readonly endedKeys: EndedKeyNotifier,
    private readonly pauses: SweepPauses,
  ) {}

  onModuleInit(): void {
    this.endedKeys.listen(() => this.giveBack());
  }

  setAside(keyId: string, amount: Micro, from: ReserveSource): ReturnType<KeyReserveRepository['setAside']> {
    return this.reserves.setAside(keyId, amount, from);
  }

  async giveBack(): Promise<void> {
    for (;;) {
      const ended = await this.reserves.ended(BATCH);
      for (const keyId of ended) await this.giveBackOne(keyId);
      if (ended.length < BATCH) return;
    }
  }

  /** A reserve that can't be returned holds up no other. */
  private async giveBackOne(keyId: string): Promise<void> {
    try {
      await this.reserves.giveBack(keyId);
      await this.pauses.done(RESERVE_ENDS, keyId);
    } catch (error) {
      this.logger.warn({ err: error, keyId }, 'The reserve of an ended key could not be returned yet.');
      await this.pauses.failed(RESERVE_ENDS, keyId);
    }
  }
}
