import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { FastifyInstance, FastifyReply } from 'fastify';

import { credentials } from '#money/billing/rails/rail-order';
import { HealthController } from '#faces/health/health.controller';
import { HealthService } from '#faces/health/health.service';
import { readSettings } from '../../src/settings';
import { SettingsModule } from '#platform/config/settings.module';
import { statusOfError } from '#platform/http/answers/error-filter';
import { HealthParts, type PartState } from '#platform/health/health-parts';
import { HealthPartsModule } from '#platform/health/health-parts.module';
import { ServiceLog, createLog } from '#platform/telemetry/log';
import { ProcessMetrics } from '#platform/telemetry/process-metrics';
import { TelemetryModule } from '#platform/telemetry/telemetry.module';

const TOKEN = 'metrics-token-for-tests';

const settings = readSettings({ NODE_ENV: 'test', METRICS_TOKEN: TOKEN, LOG_LEVEL: 'silent' });

describe('what operators watch', () => {
  let app: NestFastifyApplication;
  let parts: HealthParts;
  let database: PartState;

  beforeEach(async () => {
    const module = await Test.createTestingModule({
      imports: [SettingsModule.with(settings), HealthPartsModule, TelemetryModule],
      controllers: [HealthController],
      providers: [HealthService],
    }).compile();
    app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    app.useLogger(new ServiceLog(createLog(settings, credentials())));
    app.useGlobalFilters({
      catch: (error: unknown, host) =>
        void host.switchToHttp().getResponse<FastifyReply>().status(statusOfError(error)).send(),
    });
    const instance = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
    instance.addHook('onResponse', (request, reply, done) => {
      app.get(ProcessMetrics).countRequest(request, reply);
      done();
    });
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    parts = app.get(HealthParts);
    database = 'ok';
    parts.register({ name: 'database', critical: true, check: () => Promise.resolve(database) });
    parts.register({
      name: 'queue',
      critical: false,
      check: () => Promise.reject(new Error('10.1.2.3 refused')),
    });
  });

  afterEach(() => app.close());

  it('is alive whatever its parts do', async () => {
    database = 'down';

    const answer = await app.inject({ url: '/health/live' });

    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ status: 'ok' });
  });

  it('is ready with a part degraded, and shows no more than its state', async () => {
    const answer = await app.inject({ url: '/health/ready' });

    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      status: 'degraded',
      parts: { background: 'ok', database: 'ok', queue: 'degraded' },
    });
  });

  it('is not ready without its database', async () => {
    database = 'down';

    const answer = await app.inject({ url: '/health/ready' });

    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toEqual({
      status: 'down',
      parts: { background: 'ok', database: 'down', queue: 'degraded' },
    });
  });

  it('is not ready while it drains', async () => {
    parts.draining = true;

    const answer = await app.inject({ url: '/health/ready' });

    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({ status: 'draining' });
  });

  it('gives its metrics to this machine, with routes as templates', async () => {
    await app.inject({ url: '/health/live' });
    await app.inject({ url: '/nothing/at/job_123' });

    const answer = await app.inject({ url: '/metrics' });

    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(answer.body).toContain(
      'http_request_seconds_count{method="GET",route="/health/live",status="200"} 1',
    );
    expect(answer.body).toContain('route="none",status="404"');
    expect(answer.body).not.toContain('job_123');
    expect(answer.body).toContain('lamppost_memory_bytes{kind="resident"}');
  });

  it.each([
    ['a stranger', {}, 404],
    ['a stranger with a forged address', { 'x-forwarded-for': '127.0.0.1' }, 404],
    ['a stranger with a wrong token', { authorization: 'Bearer nonsense' }, 404],
    ['the holder of the token', { authorization: `Bearer ${TOKEN}` }, 200],
  ])('answers %s with %s', async (_, headers, status) => {
    const answer = await app.inject({ url: '/metrics', headers, remoteAddress: '203.0.113.7' });

    expect(answer.statusCode).toBe(status);
    expect(answer.body.includes('lamppost_')).toBe(status === 200);
  });
});
