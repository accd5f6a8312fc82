import { randomBytes } from 'node:crypto';

import type { ChargeDraft, HoldRefusal } from '#money/billing/charges/charge';
import { newId } from '#kernel/ids';
import { micro } from '#kernel/money';

export interface ModelCharge {
  readonly draft: ChargeDraft;
  state: 'held' | 'charged' | 'refunded' | 'released';
}

/** A payer: a wallet, or an account through one of its keys. One key has a spend limit. */
export interface ModelPayer {
  readonly account: string;
  readonly payer: string;
  readonly keyId?: string;
  readonly limit?: bigint;
}

/**
 * The ledger as simple code. Each source adds money once, and a hold takes only existing money. A mark belongs to one
 * open or paid charge, and each charge is decided once.
 */
export class LedgerModel {
  readonly balances = new Map<string, bigint>();
  readonly charges: ModelCharge[] = [];
  private readonly sources = new Set<string>();

  constructor(readonly payers: readonly ModelPayer[]) {}

  balanceOf({ account }: ModelPayer): bigint {
    return this.balances.get(account) ?? 0n;
  }

  topUp({ account }: ModelPayer, amount: bigint, source: string): bigint | undefined {
    if (this.sources.has(source)) return undefined;
    this.sources.add(source);
    const balance = (this.balances.get(account) ?? 0n) + amount;
    this.balances.set(account, balance);
    return balance;
  }

  draft({ account, payer, keyId }: ModelPayer, price: bigint, mark: string | undefined): ChargeDraft {
    return {
      id: newId('ch'),
      rail: keyId === undefined ? 'wallet' : 'api-key',
      operation: 'chat',
      payer,
      accountId: account,
      ...(keyId === undefined ? {} : { keyId }),
      modelId: 'lumen-flash',
      price: micro(price),
      list: micro(price),
      discountPercent: 0,
      fingerprint: randomBytes(32),
      ...(mark === undefined ? {} : { mark }),
    };
  }

  /** Every reason to refuse this hold now. Without a reason the hold must succeed. */
  refusals(payer: ModelPayer, draft: ChargeDraft): readonly HoldRefusal[] {
    const reasons: HoldRefusal[] = [];
    if (this.balanceOf(payer) < draft.price) reasons.push('short');
    if (draft.mark !== undefined && this.standing(draft.payer, draft.mark)) reasons.push('duplicate');
    if (payer.limit !== undefined && this.spent(payer) + draft.price > payer.limit) reasons.push('key-limit');
    return reasons;
  }

  hold(payer: ModelPayer, draft: ChargeDraft): void {
    this.balances.set(payer.account, this.balanceOf(payer) - draft.price);
    this.charges.push({ draft, state: 'held' });
  }

  settle(charge: ModelCharge | undefined): boolean {
    return this.move(charge, 'held', 'charged');
  }

  release(charge: ModelCharge | undefined): boolean {
    return this.move(charge, 'held', 'released');
  }

  refund(charge: ModelCharge | undefined): boolean {
    return this.move(charge, 'charged', 'refunded');
  }

  /** The spending of a key is the cost of its held and paid charges. */
  spent({ keyId }: ModelPayer): bigint {
    return this.charges
      .filter(({ draft, state }) => draft.key?.id === keyId && (state === 'held' || state === 'charged'))
      .reduce((sum, { draft }) => sum + draft.price, 0n);
  }

  private standing(payer: string, mark: string): boolean {
    return this.charges.some(
      ({ draft, state }) => draft.payer === payer && draft.mark === mark && state !== 'released',
    );
  }

  private move(charge: ModelCharge | undefined, from: string, to: ModelCharge['state']): boolean {
    if (charge?.state !== from) return false;
    charge.state = to;
    if (to !== 'charged') {
      const { accountId = '', price } = charge.draft;
      this.balances.set(accountId, (this.balances.get(accountId) ?? 0n) + price);
    }
    return true;
  }
}
