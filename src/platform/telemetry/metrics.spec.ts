import { Logger } from '@nestjs/common';

import { Metrics } from './metrics';

beforeAll(() => Logger.overrideLogger(false));

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
});
