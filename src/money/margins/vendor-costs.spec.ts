import { micro } from '#kernel/money';
import type { BackgroundWork } from '#platform/background/background-work';
import type { VendorCostDay } from './vendor-cost.entity';
import type { VendorCostRepository } from './vendor-cost.repository';
import { VendorCosts } from './vendor-costs';

const CALL = { provider: 'acme', providerModel: 'x', modelId: 'm', cost: micro(5n), isReported: false };

describe('the costs of calls in memory', () => {
  const written: (readonly VendorCostDay[])[] = [];
  let isDown = false;
  const repository = {
    put: (totals: readonly VendorCostDay[]) => {
      if (isDown) return Promise.reject(new Error('down'));
      written.push(totals);
      return Promise.resolve();
    },
  } as unknown as VendorCostRepository;
  const background = {
    task: () => ({ wake: () => undefined, stop: () => Promise.resolve() }),
  } as unknown as BackgroundWork;

  it('are written as totals, again after a failure, and once while nothing changes', async () => {
    const costs = new VendorCosts(repository, background);
    costs.note(CALL);
    costs.note({ ...CALL, isReported: true });
    isDown = true;
    await expect(costs.write()).rejects.toThrow('down');
    isDown = false;
    costs.note({ ...CALL, isUnused: true });

    await costs.write();
    await costs.write();

    const total = { calls: 3, unusedCalls: 1, cost: 15n, reported: 5n };
    expect(written.flat()).toEqual([expect.objectContaining(total)]);
    costs.note(CALL);
    await costs.write();
    expect(written.flat().at(-1)).toMatchObject({ calls: 4, cost: 20n });
  });
});
