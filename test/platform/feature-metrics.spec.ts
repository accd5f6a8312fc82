import { Registry } from 'prom-client';

import { ChargesMetrics } from '#money/billing/calls/charges.metrics';
import { X402Metrics } from '#money/billing/rails/x402/x402.metrics';
import { ReconciliationMetrics } from '#money/billing/sweeps/reconciliation.metrics';
import { QueueDepthMetrics } from '#platform/queue/queue-depth.metrics';
import { Metrics } from '#platform/telemetry/metrics';
import { ProvidersMetrics } from '#models/providers/providers.metrics';

describe('the metrics of the features', () => {
  it('name what happened', async () => {
    const registry = new Registry();
    const providers = new ProvidersMetrics(registry);
    const books = new ReconciliationMetrics(registry);

    new ChargesMetrics(registry).moved('wallet', 'charged');
    books.heldMicro('x402', 4_546n);
    books.drift('wallet', 0n);
    providers.answered('fal', 'submit', 1.2);
    providers.failed('fal', 'status', 'timeout');
    new QueueDepthMetrics(registry).set('jobs', 'waiting', 3);
    new X402Metrics(registry).relayerGas('0xabc', 10n ** 15n);

    const text = await new Metrics(registry).text();
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
});
