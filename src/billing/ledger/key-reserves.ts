import { Injectable, type OnModuleInit } from '@nestjs/common';

import { KeyEndings } from '../../keys/key-endings';
import type { Micro } from '../../kernel/money';
import { LedgerRepository, type ReserveSource } from './ledger.repository';

const BATCH = 100;

/** Money that is set aside for keys: it goes back when they end, at once where that is noticed, and by a sweep. */
@Injectable()
export class KeyReserves implements OnModuleInit {
  constructor(
    private readonly ledger: LedgerRepository,
    private readonly endings: KeyEndings,
  ) {}

  onModuleInit(): void {
    this.endings.listen(() => this.giveBack());
  }

  setAside(keyId: string, amount: Micro, from: ReserveSource): ReturnType<LedgerRepository['setAside']> {
    return this.ledger.setAside(keyId, amount, from);
  }

  async giveBack(): Promise<void> {
    while ((await this.ledger.giveBackReserves(BATCH)) === BATCH);
  }
}
