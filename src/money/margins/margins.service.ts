import { Injectable } from '@nestjs/common';

import { SalesDayRepository } from '#money/billing/charges/sales-day.repository';
import { type Micro, micro } from '#kernel/money';
import { type RouteCost, VendorCostRepository } from './vendor-cost.repository';

/** The revenue and the cost of a model on a day of UTC. */
export interface Margin {
  readonly day: string;
  /** Empty for charges without a model. */
  readonly modelId: string;
  readonly calls: number;
  readonly revenue: Micro;
  readonly cost: Micro;
  readonly routes: readonly RouteCost[];
}

const DAY_MS = 86_400_000;
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Compares the charges of each model with its cost at vendors. */
@Injectable()
export class MarginsService {
  constructor(
    private readonly sales: SalesDayRepository,
    private readonly costs: VendorCostRepository,
  ) {}

  /**
   * The margins by day, the newest first. `from` and `to` are included. A model with a cost but without revenue has a
   * row as well.
   */
  async between(from: string, to: string): Promise<readonly Margin[]> {
    const [sold, costs] = await Promise.all([this.sales.between(from, to), this.costs.between(from, to)]);
    const rows = new Map<string, Margin>();
    const keyOf = ({ day, modelId }: { readonly day: string; readonly modelId: string }): string =>
      `${day} ${modelId}`;
    for (const sale of sold) rows.set(keyOf(sale), { ...sale, cost: micro(0n), routes: [] });
    for (const route of costs) {
      const { day, modelId } = route;
      const row = rows.get(keyOf(route)) ?? { day, modelId, ...NOTHING_SOLD };
      rows.set(keyOf(route), { ...row, cost: micro(row.cost + route.cost), routes: [...row.routes, route] });
    }
    return [...rows.values()].sort((a, b) => b.day.localeCompare(a.day));
  }

  /**
   * Revenue minus cost of each model, for today and yesterday. The service charges for a film at once, but the vendor
   * bills it later, so the margin of one day alone would be misleading.
   */
  recent(): Promise<ReadonlyMap<string, bigint>> {
    return this.ofModels(2);
  }

  /** Revenue minus cost of each model in the last days, with today. */
  async ofModels(days: number): Promise<ReadonlyMap<string, bigint>> {
    const now = Date.now();
    const margins = new Map<string, bigint>();
    for (const { modelId, revenue, cost } of await this.between(
      dayOf(now - (days - 1) * DAY_MS),
      dayOf(now),
    )) {
      margins.set(modelId, (margins.get(modelId) ?? 0n) + revenue - cost);
    }
    return margins;
  }
}

const NOTHING_SOLD = { calls: 0, revenue: micro(0n), cost: micro(0n), routes: [] };
