import { Logger } from '@nestjs/common';
import { HealthIndicatorService, TerminusModule } from '@nestjs/terminus';
import { Test } from '@nestjs/testing';

import { HealthParts, type PartState } from './health-parts';

beforeAll(() => Logger.overrideLogger(false));

const counted = (states: readonly (PartState | Error)[]) => {
  let calls = 0;
  const check = (): Promise<PartState> => {
    const state = states[Math.min(calls, states.length - 1)]!;
    calls += 1;
    return state instanceof Error ? Promise.reject(state) : Promise.resolve(state);
  };
  return { check, calls: () => calls };
};

describe('the parts of the service', () => {
  let health: HealthParts;

  beforeEach(async () => {
    const module = await Test.createTestingModule({
      imports: [TerminusModule.forRoot({ logger: false })],
      providers: [HealthParts],
    }).compile();
    health = module.get(HealthParts);
    jest.useFakeTimers();
  });
  afterEach(() => jest.useRealTimers());

  it('are ready while every critical one is up', async () => {
    health.register({ name: 'database', critical: true, check: counted(['ok']).check });
    health.register({ name: 'queue', critical: false, check: counted(['down']).check });

    expect(await health.report()).toEqual({ ready: true, parts: { database: 'ok', queue: 'degraded' } });
  });

  it('are not ready when a critical one fails or throws', async () => {
    health.register({ name: 'database', critical: true, check: counted([new Error('refused')]).check });

    expect(await health.report()).toEqual({ ready: false, parts: { database: 'down' } });
  });

  it('are not ready once the process drains', async () => {
    health.register({ name: 'database', critical: true, check: counted(['ok']).check });
    health.draining = true;

    expect(await health.report()).toEqual({ ready: false, parts: { database: 'ok' } });
  });

  it('are asked at most once a second, however often the route is called', async () => {
    const part = counted(['ok', 'down']);
    health.register({ name: 'database', critical: true, check: part.check });

    await Promise.all(Array.from({ length: 100 }, () => health.report()));
    expect(part.calls()).toBe(1);

    jest.advanceTimersByTime(999);
    expect((await health.report()).ready).toBe(true);
    jest.advanceTimersByTime(1);
    expect((await health.report()).ready).toBe(false);
    expect(part.calls()).toBe(2);
  });

  it('count as down after a second without an answer, and a check that hangs is not started again', async () => {
    let calls = 0;
    let answer: (state: PartState) => void = () => undefined;
    const check = (): Promise<PartState> => {
      calls += 1;
      return new Promise((resolve) => (answer = resolve));
    };
    health.register({ name: 'database', critical: true, check });

    const first = health.report();
    await jest.advanceTimersByTimeAsync(1_000);
    expect((await first).ready).toBe(false);
    const second = health.report();
    await jest.advanceTimersByTimeAsync(2_000);
    expect((await second).ready).toBe(false);
    expect(calls).toBe(1);

    answer('ok');
    await jest.advanceTimersByTimeAsync(0);
    expect((await health.report()).ready).toBe(true);
  });

  it('have names of their own', () => {
    const part = { name: 'database', critical: true, check: counted(['ok']).check };
    health.register(part);

    expect(() => health.register(part)).toThrow('Two parts report their health as database.');
  });

  it('are indicators of terminus, too', async () => {
    const indicators = new HealthIndicatorService();
    const check = (name: string) => indicators.check(name);
    health.register({ name: 'up', critical: true, check: () => check('up').up() });
    health.register({ name: 'slow', critical: false, check: () => check('slow').down('Why.') });
    health.register({ name: 'gone', critical: true, check: async () => check('gone').down('Why.') });

    expect(await health.report()).toEqual({
      ready: false,
      parts: { up: 'ok', slow: 'degraded', gone: 'down' },
    });
  });
});
