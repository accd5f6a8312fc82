import { Logger } from '@nestjs/common';

import { BackgroundWork } from './background-work';

describe('background work', () => {
  const lines: string[] = [];
  let work: BackgroundWork;

  const note = (_fields: unknown, sentence: string): void => void lines.push(sentence);

  beforeEach(() => {
    jest.useFakeTimers();
    lines.length = 0;
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(note);
    jest.spyOn(Logger.prototype, 'log').mockImplementation(note);
    work = new BackgroundWork();
  });

  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('is logged once for an outage and once for its end, and tried again with growing pauses', async () => {
    let tries = 0;
    let isAway = true;
    work.every('Counting', 100, () => {
      tries += 1;
      if (isAway) throw new Error('away');
    });

    await jest.advanceTimersByTimeAsync(30_000);
    const triesAway = tries;
    const failing = work.failing();
    isAway = false;
    await jest.advanceTimersByTimeAsync(5_000);

    expect(triesAway).toBeGreaterThan(8);
    expect(triesAway).toBeLessThan(30);
    expect(failing['Counting']).toBeGreaterThan(29);
    expect(tries - triesAway).toBeGreaterThan(15);
    expect(work.failing()).toEqual({});
    expect(lines).toEqual([
      'Counting fails; its further failures are not logged until it works again.',
      expect.stringMatching(/^Counting works again after \d/),
    ]);
  });

  it('that comes and goes each second is logged twice a minute', async () => {
    let tries = 0;
    work.every('Flapping', 500, () => {
      tries += 1;
      if (tries % 2 === 0) throw new Error('away');
    });

    await jest.advanceTimersByTimeAsync(59_000);

    expect(tries).toBeGreaterThan(60);
    expect(lines).toHaveLength(2);
  });

  it('never runs twice at once, and shares a run among those who wake it', async () => {
    let running = 0;
    let runs = 0;
    const task = work.task('Looking', async () => {
      running += 1;
      runs += 1;
      expect(running).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 50));
      running -= 1;
    });

    for (let n = 0; n < 5; n += 1) task.wake();
    await jest.advanceTimersByTimeAsync(10);
    for (let n = 0; n < 5; n += 1) task.wake();
    await jest.advanceTimersByTimeAsync(1_000);

    expect(runs).toBe(2);
  });

  it('that is woken while it fails waits for its pause', async () => {
    let tries = 0;
    const task = work.task('Reading', () => {
      tries += 1;
      return Promise.reject(new Error('away'));
    });

    for (let n = 0; n < 1_000; n += 1) {
      task.wake();
      await jest.advanceTimersByTimeAsync(10);
    }

    expect(tries).toBeLessThan(15);
  });

  it('that nobody waits for is logged when it fails', async () => {
    for (let n = 0; n < 20; n += 1) work.detach('The report', () => Promise.reject(new Error('away')));
    await jest.advanceTimersByTimeAsync(1);

    expect(lines).toEqual(['The report fails; its further failures are not logged until it works again.']);
  });

  it('ends with the service', async () => {
    let runs = 0;
    const task = work.every('Counting', 10, () => (runs += 1));
    await jest.advanceTimersByTimeAsync(100);

    await work.onApplicationShutdown();
    const before = runs;
    task.wake();
    await jest.advanceTimersByTimeAsync(1_000);

    expect(before).toBeGreaterThan(5);
    expect(runs).toBe(before);
  });
});
