import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

import { tierPercent } from '#models/catalog/volume-discount';
import { type Micro, micro, microFromText } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
import { Database } from '#platform/database/database';

/** A cached tier may be a second old, because a tier only rises. */
const FRESH_MS = 1_000;
/** Anybody can name wallets, so the cache is bounded. */
const KEPT_MAX = 10_000;

/**
 * The total that a wallet has ever paid in on chain, and the discount for this total. Spending a balance never counts.
 */
@Injectable()
export class WalletTierRepository {
  private readonly seen = new LRUCache<WalletAddress, Micro>({ max: KEPT_MAX, ttl: FRESH_MS });

  constructor(private readonly db: Database) {}

  async paidIn(wallet: WalletAddress): Promise<Micro> {
    const row = await this.db.one<{ paid_in: string }>(
      'select paid_in_micro as paid_in from x402_payer where payer = $1',
      [wallet],
      'payer-paid-in',
    );
    return row === undefined ? micro(0n) : microFromText(row.paid_in);
  }

  /** The total that the wallet has paid in, plus the charges to its payment channels. */
  private async lifetime(wallet: WalletAddress): Promise<Micro> {
    const row = await this.db.one<{ paid_in: string }>(
      `select (coalesce((select paid_in_micro from x402_payer where payer = $1), 0)
         + coalesce((select sum(charged_micro - base_micro) from channel where payer = $1), 0))::text as paid_in`,
      [wallet],
      'payer-lifetime',
    );
    return microFromText(row?.paid_in ?? '0');
  }

  async percentOf(wallet: WalletAddress): Promise<number> {
    const start = performance.now();
    const known = this.seen.get(wallet);
    if (known !== undefined) return tierPercent(known);
    const paidIn = await this.lifetime(wallet);
    this.seen.set(wallet, paidIn, { start });
    return tierPercent(paidIn);
  }
}
