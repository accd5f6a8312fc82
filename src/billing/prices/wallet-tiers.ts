import { Injectable } from '@nestjs/common';

import { tierPercent } from '../../catalog/tiers';
import { type Micro, micro, microFromText } from '../../kernel/money';
import type { WalletAddress } from '../../kernel/wallet-address';
import { Database } from '../../platform/database/database';

/** A tier that is a second old is good enough: it only ever rises. */
const FRESH_MS = 1_000;
const KEPT_MAX = 10_000;

interface Seen {
  readonly paidIn: Micro;
  readonly until: number;
}

/** What a wallet has paid in on chain, ever, and the discount that this earns. Spending a balance never counts. */
@Injectable()
export class WalletTiers {
  private readonly seen = new Map<WalletAddress, Seen>();

  constructor(private readonly db: Database) {}

  async paidIn(wallet: WalletAddress): Promise<Micro> {
    const row = await this.db.one<{ paid_in: string }>(
      'select paid_in_micro as paid_in from x402_payer where payer = $1',
      [wallet],
      'payer-paid-in',
    );
    return row === undefined ? micro(0n) : microFromText(row.paid_in);
  }

  async percentOf(wallet: WalletAddress): Promise<number> {
    const now = performance.now();
    const known = this.seen.get(wallet);
    if (known !== undefined && known.until > now) {
      return tierPercent(known.paidIn);
    }
    const paidIn = await this.paidIn(wallet);
    // Anybody can name wallets: what is kept of them is bounded, and all of it is stale within a second anyway.
    if (this.seen.size >= KEPT_MAX) this.seen.clear();
    this.seen.set(wallet, { paidIn, until: now + FRESH_MS });
    return tierPercent(paidIn);
  }
}
