import * as fc from 'fast-check';

import { DECIDED_MS_MAX, OVERDUE_POLL_MS_MAX, FORGOTTEN_MS, pollTimeoutMs } from './job-times';

describe('the time of a look at a job', () => {
  it('ends within five seconds of the deadline, unless nobody looked at the job in time', () => {
    fc.assert(
      fc.property(fc.integer({ min: -FORGOTTEN_MS, max: 86_400_000 }), (leftMs) => {
        expect(pollTimeoutMs(leftMs)).toBeLessThanOrEqual(leftMs + DECIDED_MS_MAX);
        expect(pollTimeoutMs(leftMs)).toBeGreaterThanOrEqual(1_000);
      }),
    );
  });

  it('is that of a whole look for a job that nobody looked at in time', () => {
    expect(pollTimeoutMs(-FORGOTTEN_MS - 1)).toBe(OVERDUE_POLL_MS_MAX);
  });

  it('is never longer than a timer can be', () => {
    expect(pollTimeoutMs(10 ** 12)).toBe(2 ** 31 - 1);
  });
});
