import { Logger } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { Test } from '@nestjs/testing';

import { BackgroundWork } from '#platform/background/background-work';
import { HealthParts } from '#platform/health/health-parts';
import { HealthService } from './health.service';

beforeAll(() => Logger.overrideLogger(false));

describe('the readiness of the service', () => {
  it.each([
    ['ok', 'ok', false, 'ok'],
    ['ok', 'degraded', false, 'degraded'],
    ['ok', 'down', false, 'degraded'],
    ['down', 'ok', false, 'down'],
    ['ok', 'ok', true, 'draining'],
  ] as const)('database %s, queue %s, draining %s: %s', async (database, queue, draining, status) => {
    const module = await Test.createTestingModule({
      imports: [TerminusModule.forRoot({ logger: false })],
      providers: [HealthParts],
    }).compile();
    const parts = module.get(HealthParts);
    parts.register({ name: 'database', critical: true, check: () => Promise.resolve(database) });
    parts.register({ name: 'queue', critical: false, check: () => Promise.resolve(queue) });
    parts.draining = draining;

    expect((await new HealthService(parts, new BackgroundWork()).readiness()).status).toBe(status);
  });
});
