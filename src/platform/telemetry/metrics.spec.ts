import { Logger } from '@nestjs/common';
import { Counter, Gauge, Registry, register } from 'prom-client';

import { QueueDepthMetrics } from '../queue/queue-depth.metrics';
import { Metrics } from './metrics';

beforeAll(() => Logger.overrideLogger(false));
afterEach(() => register.clear());

describe('the metrics', () => {
  it('of two applications in one process stay apart', async () => {
    const [first, second] = [new Registry(), new Registry()];

    new QueueDepthMetrics(first).set('jobs', 'waiting', 3);
    new QueueDepthMetrics(second).set('jobs', 'active', 1);

    expect(await new Metrics(second).text()).not.toContain('state="waiting"');
  });

  it('come without what cannot be read in time', async () => {
    jest.useFakeTimers();
    const registry = new Registry();
    const [metrics, depth] = [new Metrics(registry), new QueueDepthMetrics(registry)];
    metrics.beforeScrape(() => new Promise(() => undefined));
    metrics.beforeScrape(() => Promise.reject(new Error('the database is gone')));
    metrics.beforeScrape(() => depth.set('jobs', 'waiting', 7));

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
  });

  it('come without a gauge of another module that fails or hangs', async () => {
    jest.useFakeTimers();
    const metrics = new Metrics(new Registry());
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

  it('are refused at the start when two have one name', () => {
    const registry = new Registry();
    new QueueDepthMetrics(registry).set('jobs', 'waiting', 3);
    new Counter({ name: 'lamppost_queue_depth', help: 'Queues of somebody else.' }).inc();

    expect(() => new Metrics(registry).onApplicationBootstrap()).toThrow(
      'Two metrics have the name lamppost_queue_depth.',
    );
  });
});
