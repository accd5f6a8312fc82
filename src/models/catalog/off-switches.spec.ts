import { BackgroundWork } from '#platform/background/background-work';
import type { Database } from '#platform/database/database';
import type { Catalog } from './catalog';
import type { OffSwitch } from './off-switch.entity';
import type { OffSwitchRepository } from './off-switch.repository';
import { OffSwitches } from './off-switches';

const MODEL = { kind: 'model', name: 'ember-image' } as OffSwitch;

describe('what is switched off', () => {
  it('is what the newest read found, however long an older one takes', async () => {
    const reads: ((off: readonly OffSwitch[]) => void)[] = [];
    const sold: string[][] = [];
    const switches = new OffSwitches(
      {} as Database,
      { sellWithout: ({ models }: { models: Set<string> }) => sold.push([...models]) } as unknown as Catalog,
      {
        all: () => new Promise((resolve) => reads.push(resolve)),
      } as unknown as OffSwitchRepository,
      new BackgroundWork(),
    );
    const turn = () => new Promise(setImmediate);

    const off = switches.read();
    await turn();
    const on = switches.read();
    await turn();
    reads[1]?.([]); // The second reading, if it did not wait.
    reads[0]?.([MODEL]);
    await turn();
    reads[1]?.([]);
    await Promise.all([off, on]);

    expect(sold).toEqual([[MODEL.name], []]);
  });

  it('is read again after a read that failed', async () => {
    let reads = 0;
    const switches = new OffSwitches(
      {} as Database,
      { sellWithout: () => undefined } as unknown as Catalog,
      {
        all: () =>
          (reads += 1) === 1 ? Promise.reject(new Error('the database is gone')) : Promise.resolve([]),
      } as unknown as OffSwitchRepository,
      new BackgroundWork(),
    );

    await expect(switches.read()).rejects.toThrow('the database is gone');
    await expect(switches.read()).resolves.toBeUndefined();
  });
});
