import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

import { newId } from '#kernel/ids';
import { type Micro, micro } from '#kernel/money';
import type { BackgroundTask } from '#platform/background/background-task';
import { BackgroundWork } from '#platform/background/background-work';
import type { ProviderName } from '#models/providers/provider-name';
import type { VendorCostDay } from './vendor-cost.entity';
import { VendorCostRepository } from './vendor-cost.repository';

const WRITE_MS = 1_000;

export interface CallCost {
  readonly provider: ProviderName;
  /** The provider's own name of the model. */
  readonly providerModel: string;
  readonly modelId: string;
  readonly cost: Micro;
  /** Whether the vendor's answer contained the cost. */
  readonly isReported: boolean;
  /** True if the service did not use the answer. */
  readonly isUnused?: boolean;
}

/**
 * Adds up the cost of calls in memory and writes the totals of the day once a second, so no call waits for a write. A
 * killed process loses the costs of its last second. Charges do not depend on these costs.
 */
@Injectable()
export class VendorCosts implements OnApplicationShutdown {
  private readonly process = newId('prc');
  private readonly totals = new Map<string, VendorCostDay>();
  private readonly changed = new Set<string>();
  private readonly writing: BackgroundTask;

  constructor(
    private readonly repository: VendorCostRepository,
    background: BackgroundWork,
  ) {
    this.writing = background.task('Writing the costs of calls', () => this.write());
  }

  async onApplicationShutdown(): Promise<void> {
    await this.writing.stop();
    // If this write fails, the costs of the last second are lost, as after a kill.
    await this.write().catch(() => undefined);
  }

  note({ provider, providerModel, modelId, cost, isReported, isUnused = false }: CallCost): void {
    const day = new Date().toISOString().slice(0, 10);
    const key = JSON.stringify([day, provider, providerModel, modelId]);
    const { process } = this;
    const before = this.totals.get(key);
    this.totals.set(key, {
      day,
      provider,
      providerModel,
      modelId,
      process,
      calls: (before?.calls ?? 0) + 1,
      unusedCalls: (before?.unusedCalls ?? 0) + (isUnused ? 1 : 0),
      cost: micro((before?.cost ?? 0n) + cost),
      reported: micro((before?.reported ?? 0n) + (isReported ? cost : 0n)),
    });
    this.changed.add(key);
    this.writing.wake(WRITE_MS);
  }

  /** Writes the changed totals. Tests call it instead of waiting. */
  async write(): Promise<void> {
    const keys = [...this.changed];
    this.changed.clear();
    try {
      await this.repository.put(keys.flatMap((key) => this.totals.get(key) ?? []));
    } catch (error) {
      for (const key of keys) this.changed.add(key);
      throw error;
    }
    const today = new Date().toISOString().slice(0, 10);
    for (const [key, { day }] of this.totals) {
      if (day !== today && !this.changed.has(key)) this.totals.delete(key);
    }
  }
}
