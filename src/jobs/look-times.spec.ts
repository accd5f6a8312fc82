import * as fc from 'fast-check';

import { DECIDED_MS_MAX, FORGOTTEN_LOOK_MS_MAX, FORGOTTEN_MS, patienceWith } from './look-times';

describe('the time of a look at a job', () => {
  it('ends within five seconds of the deadline, unless nobody looked at the job in time', () => {
    fc.assert(
      fc.property(fc.integer({ min: -FORGOTTEN_MS, max: 86_400_000 }), (leftMs) => {
        expect(patienceWith(leftMs)).toBeLessThanOrEqual(leftMs + DECIDED_MS_MAX);
        expect(patienceWith(leftMs)).toBeGreaterThanOrEqual(1_000);
      }),
    );
  });

  it('is that of a whole look for a job that nobody looked at in time', () => {
    expect(patienceWith(-FORGOTTEN_MS - 1)).toBe(FORGOTTEN_LOOK_MS_MAX);
  });

  it('is never longer than a timer can be', () => {
    expect(patienceWith(10 ** 12)).toBe(2 ** 31 - 1);
  });
});
