import { Injectable, type OnModuleInit } from '@nestjs/common';

import { EndedKeyNotifier } from '../../keys/ended-key-notifier';
import type { Micro } from '../../kernel/money';
import { LedgerRepository, type ReserveSource } from './ledger.repository';

const BATCH = 100;

/** Returns the reserves of ended keys: at once after a notification of `EndedKeyNotifier`, and otherwise in a sweep. */
@Injectable()
export class KeyReserves implements OnModuleInit {
  constructor(
    private readonly ledger: LedgerRepository,
    private readonly endedKeys: EndedKeyNotifier,
  ) {}

  onModuleInit(): void {
    this.endedKeys.listen(() => this.giveBack());
  }

  setAside(keyId: string, amount: Micro, from: ReserveSource): ReturnType<LedgerRepository['setAside']> {
    return this.ledger.setAside(keyId, amount, from);
  }

  async giveBack(): Promise<void> {
    while ((await this.ledger.giveBackReserves(BATCH)) === BATCH);
  }
}
