import type { ExecutionContext } from '@nestjs/common';
import { lastValueFrom } from 'rxjs';

import type { RateLimits } from '../../platform/http/limits/rate-limits';
import { AlreadyHeld, type ChargeService } from './charge.service';
import type { Rails } from '../rails/rails';
import { ChargeInterceptor } from './charge.interceptor';
import type { Deliveries } from './deliveries';
import type { EarlierCalls } from './earlier-calls';
import { type PaidCall, openCall } from './paid-call';

/** A call whose mark others hold and release all the time: so often it loses the race, and never finds an answer. */
const losing = async (races: number): Promise<unknown> => {
  let left = races;
  const reply = { header: () => reply, headers: () => reply, status: () => reply };
  const request = { headers: { 'idempotency-key': 'the-same-call' } };
  const parts = { work: () => Promise.resolve('the answer') };
  openCall({ request, reply, route: {}, parts, body: {}, payer: { rail: 'wallet' } } as unknown as PaidCall);
  const charges = {
    hold: () => {
      left -= 1;
      return left < 0
        ? Promise.resolve({ draft: { id: 'ch_1', price: 5n } })
        : Promise.reject(new AlreadyHeld());
    },
    settle: () => Promise.resolve({}),
  };
  const interceptor = new ChargeInterceptor(
    { answerTo: () => Promise.resolve(undefined) } as unknown as EarlierCalls,
    { count: () => Promise.resolve({}) } as unknown as RateLimits,
    charges as unknown as ChargeService,
    { of: () => ({ isPrepaid: true }) } as unknown as Rails,
    { watch: () => undefined } as unknown as Deliveries,
  );
  const context = { switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext;
  return lastValueFrom(await interceptor.intercept(context));
};

describe('a call whose mark changes hands between two looks', () => {
  it('runs once the others have let go of it', async () => {
    expect(await losing(2)).toBe('the answer');
  });

  it('is told to come again when they never do', async () => {
    await expect(losing(1_000)).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_FLIGHT', kind: 'conflict' });
  });
});
