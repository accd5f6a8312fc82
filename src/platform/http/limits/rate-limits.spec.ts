import fastify from 'fastify';

import { MemoryRateStorage } from './memory-rate-storage';
import { RateLimits } from './rate-limits';
import type { CallLimits, LimitName } from './rate-limits.settings';

const LIMITS: CallLimits = { address: 2, challenge: 1, free: 0 } as CallLimits;
const UNKNOWN = 'forgotten' as LimitName;

describe('a rate limit without a number', () => {
  const limits = new RateLimits(new MemoryRateStorage(), { limits: LIMITS });

  it('lets no call pass', () => {
    expect(() => limits.take(UNKNOWN, 'anybody', true)).toThrow(
      'The rate limit forgotten has no number. List its settings in src/settings.ts.',
    );
  });

  it('prevents the start, if a route has it', async () => {
    const instance = fastify();
    limits.watch(instance);
    const add = (limit: LimitName | 'none' | undefined) => () =>
      instance.get(`/${String(limit)}`, { config: { options: { limit } } as never }, () => 'ok');

    for (const known of ['free', 'challenge', 'none', undefined] as const) expect(add(known)).not.toThrow();
    expect(add(UNKNOWN)).toThrow('The rate limit forgotten has no number.');
    await instance.close();
  });
});
