import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Settings } from '../../platform/config/settings';
import { HttpHooks, type OnRequest } from '../../platform/http/hooks';
import type { RateLimits } from '../../platform/http/limits/rate-limits';
import { AlreadyHeld, type ChargeService } from './charge.service';
import type { Rails } from '../rails/rails';
import type { CallOpening } from './call-opening';
import { PaidCalls } from './paid-calls';
import type { CallsUnderway } from './calls-underway';
import type { PaidRouteParts } from './paid-parts';
import type { Deliveries } from './deliveries';
import type { EarlierCalls } from './earlier-calls';
import type { PaidCall } from './paid-call';

/** A call whose mark others hold and release all the time: so often it loses the race, and never finds an answer. */
const losing = async (races: number): Promise<unknown> => {
  let left = races;
  let sent: unknown;
  const reply = {
    header: () => reply,
    headers: () => reply,
    status: () => reply,
    send: (body: unknown) => (sent = body),
  } as unknown as FastifyReply;
  const request = { headers: { 'idempotency-key': 'the-same-call' } } as unknown as FastifyRequest;
  const parts = { work: () => Promise.resolve('the answer') };
  const call = {
    request,
    reply,
    route: {},
    parts,
    body: {},
    payer: { rail: 'wallet' },
  } as unknown as PaidCall;
  const charges = {
    hold: () => {
      left -= 1;
      return left < 0
        ? Promise.resolve({ draft: { id: 'ch_1', price: 5n } })
        : Promise.reject(new AlreadyHeld());
    },
    settle: () => Promise.resolve({}),
  };
  let serve: OnRequest | undefined;
  const hooks = new HttpHooks();
  hooks.beforeRoute = (_step, hook) => (serve = hook);
  new PaidCalls(
    hooks,
    { at: () => ({}) } as unknown as PaidRouteParts,
    { open: () => call } as unknown as CallOpening,
    { answerTo: () => undefined } as unknown as EarlierCalls,
    { count: () => ({}) } as unknown as RateLimits,
    charges as unknown as ChargeService,
    { of: () => ({ isPrepaid: true }) } as unknown as Rails,
    { watch: () => undefined } as unknown as Deliveries,
    { requirePlace: () => undefined, leave: () => undefined } as unknown as CallsUnderway,
    { http: {} } as unknown as Settings,
  ).onModuleInit();
  await serve?.(request, reply);
  return sent;
};

describe('a call whose mark changes hands between two looks', () => {
  it('runs once the others have let go of it', async () => {
    expect(await losing(2)).toBe('the answer');
  });

  it('is told to come again when they never do', async () => {
    await expect(losing(1_000)).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_FLIGHT', kind: 'conflict' });
  });
});
