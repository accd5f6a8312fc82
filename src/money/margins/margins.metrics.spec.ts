import { Registry } from 'prom-client';

import { MarginsMetrics } from './margins.metrics';

describe('the margin of a model', () => {
  afterEach(() => jest.useRealTimers());

  it('is no longer shown by a worker whose last turn is long ago', async () => {
    jest.useFakeTimers({ now: 1_000 });
    const registry = new Registry();
    const metrics = new MarginsMetrics(registry);
    const shown = () => registry.getSingleMetricAsString('lamppost_model_margin_micro_usd');

    metrics.set(new Map([['a-model', 5n]]));
    jest.advanceTimersByTime(590_000);
    expect(await shown()).toContain('{model="a-model"} 5');
    jest.advanceTimersByTime(20_000);
    expect(await shown()).not.toContain('a-model');

    metrics.set(new Map([['a-model', -5n]]));
    expect(await shown()).toContain('{model="a-model"} -5');
  });
});
