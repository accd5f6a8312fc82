import { MemoryRateStorage } from './memory-rate-storage';

const CALLERS = 100_000;
const MINUTE = 60_000;

describe('rate limits in memory', () => {
  beforeEach(() => jest.useFakeTimers({ now: 0 }));
  afterEach(() => jest.useRealTimers());

  const full = (): MemoryRateStorage => {
    const storage = new MemoryRateStorage();
    for (let caller = 0; caller < CALLERS; caller += 1) storage.count(`caller ${caller}`, MINUTE, 1);
    return storage;
  };

  it('look at a few windows for each new caller, however many callers there are', () => {
    const storage = full();
    const before = storage.checked;
    for (let caller = 0; caller < 1_000; caller += 1) storage.count(`stranger ${caller}`, MINUTE, 1);
    expect(storage.checked - before).toBeLessThanOrEqual(2 * 1_000);
  });

  it('look at each ended window once', () => {
    const storage = full();
    storage.count('a quarter of an hour', 15 * MINUTE, 1);
    jest.setSystemTime(MINUTE);
    const before = storage.checked;
    for (let caller = 0; caller < 1_000; caller += 1) storage.count(`stranger ${caller}`, MINUTE, 1);
    expect(storage.checked - before).toBeLessThanOrEqual(CALLERS + 3 * 1_000);
    expect(storage.count('a quarter of an hour', 15 * MINUTE, 1).isBlocked).toBe(true);
  });

  it('keep the windows that end last when there is no room', () => {
    const storage = new MemoryRateStorage();
    storage.count('long', 15 * MINUTE, 1);
    storage.count('first', MINUTE, 1);
    jest.setSystemTime(1);
    for (let caller = 0; caller < CALLERS; caller += 1) storage.count(`caller ${caller}`, MINUTE, 1);
    expect(storage.count('long', 15 * MINUTE, 1).isBlocked).toBe(true);
    expect(storage.count('first', MINUTE, 1).isBlocked).toBe(false);
  });

  it('begin again after their time, and count back once', () => {
    const storage = new MemoryRateStorage();
    const hit = storage.count('caller', MINUTE, 1);
    hit.uncount();
    hit.uncount();
    expect(storage.count('caller', MINUTE, 1).totalHits).toBe(1);
    expect(storage.count('caller', MINUTE, 1).isBlocked).toBe(true);
    jest.setSystemTime(MINUTE);
    expect(storage.count('caller', MINUTE, 1).totalHits).toBe(1);
  });
});
