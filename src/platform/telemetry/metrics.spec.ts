import { Logger } from '@nestjs/common';
import { Counter, Gauge, Registry, register } from 'prom-client';

import { Metrics } from './metrics';

beforeAll(() => Logger.overrideLogger(false));
afterEach(() => register.clear());

describe('the metrics', () => {
  it('name what happened', async () => {
    const metrics = new Metrics();

    metrics.httpRequest({ method: 'GET', route: '/v1/models', status: 200, seconds: 0.003 });
    metrics.chargeMoved('wallet', 'charged');
    metrics.heldMicro('x402', 4_546n);
    metrics.drift('wallet', 0n);
    metrics.providerAnswered('fal', 'submit', 1.2);
    metrics.providerFailed('fal', 'status', 'timeout');
    metrics.queueDepth('jobs', 'waiting', 3);
    metrics.relayerGas('0xabc', 10n ** 15n);

    const text = await metrics.text();
    expect(text).toContain(
      'lamppost_http_request_seconds_count{method="GET",route="/v1/models",status="200"} 1',
    );
    expect(text).toContain('lamppost_charges_total{rail="wallet",state="charged"} 1');
    expect(text).toContain('lamppost_held_micro_usd{rail="x402"} 4546');
    expect(text).toContain('lamppost_drift_micro_usd{ledger="wallet"} 0');
    expect(text).toContain('lamppost_provider_call_seconds_count{provider="fal",operation="submit"} 1');
    expect(text).toContain(
      'lamppost_provider_errors_total{provider="fal",operation="status",reason="timeout"} 1',
    );
    expect(text).toContain('lamppost_queue_depth{queue="jobs",state="waiting"} 3');
    expect(text).toContain('lamppost_relayer_gas_wei{relayer="0xabc"} 1000000000000000');
  });

  it('of two applications in one process stay apart', async () => {
    const first = new Metrics();
    const second = new Metrics();

    first.chargeMoved('wallet', 'charged');

    expect(await second.text()).not.toContain('rail="wallet"');
  });

  it('come without what cannot be read in time', async () => {
    jest.useFakeTimers();
    const metrics = new Metrics();
    metrics.beforeScrape(() => new Promise(() => undefined));
    metrics.beforeScrape(() => Promise.reject(new Error('the database is gone')));
    metrics.beforeScrape(() => metrics.queueDepth('jobs', 'waiting', 7));

    const text = metrics.text();
    await jest.advanceTimersByTimeAsync(1_000);

    expect(await text).toContain('lamppost_queue_depth{queue="jobs",state="waiting"} 7');
    jest.useRealTimers();
  });

  it('show what other modules count with prom-client, in its global registry or in that of the application', async () => {
    const registry = new Registry();
    const metrics = new Metrics(registry);

    new Counter({ name: 'team_notes_total', help: 'Notes.', labelNames: ['colour'] }).inc(
      { colour: 'red' },
      2,
    );
    new Gauge({ name: 'team_room', help: 'Room.', registers: [registry] }).set(7);

    const text = await metrics.text();
    expect(text).toContain('# TYPE team_notes_total counter\nteam_notes_total{colour="red"} 2\n');
    expect(text).toContain('team_room 7\n');
    expect(text).toContain('# TYPE lamppost_charges_total counter');
  });

  it('come without a gauge of another module that fails or hangs', async () => {
    jest.useFakeTimers();
    const metrics = new Metrics();
    new Gauge({ name: 'team_broken', help: 'Broken.', collect: () => Promise.reject(new Error('away')) }).set(
      1,
    );
    new Gauge({ name: 'team_hung', help: 'Hung.', collect: () => new Promise<void>(() => undefined) }).set(1);
    new Gauge({ name: 'team_room', help: 'Room.' }).set(7);

    const text = metrics.text();
    await jest.advanceTimersByTimeAsync(1_000);

    expect(await text).toContain('team_room 7');
    expect(await text).not.toContain('team_broken');
    expect(await text).not.toContain('team_hung');
    jest.useRealTimers();
  });

  it('stop the start when two have one name', () => {
    new Counter({ name: 'lamppost_charges_total', help: 'Charges of somebody else.' }).inc();

    expect(() => new Metrics().onApplicationBootstrap()).toThrow(
      'Two metrics have the name lamppost_charges_total.',
    );
  });
});
