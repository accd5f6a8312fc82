import { RefundSweepProcessor } from '#work/jobs/refund-sweep.processor';
import { spanIdsOf } from '#money/billing/tracing/charge-traces';
import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { FakeCollector } from '../support/fake-collector';
import { World } from '../support/world';

describe('traces', () => {
  let collector: FakeCollector;
  let world: World;
  let caller: KeyCaller;

  beforeAll(async () => {
    collector = await new FakeCollector().start();
    world = await World.start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector',
    });
    caller = await KeyCaller.register(world, 10_000_000n);
  });
  afterAll(async () => {
    await world.expectBooksToBalance();
    await world.stop();
    await collector.stop();
  });

  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    world.post(path, body, { 'x-api-key': caller.key, ...headers });
  const within = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId);

  it('lead from the paid call over the looks at its job to the money that went back', async () => {
    const { headers, body } = await post('/v1/agent/generate', {
      prompt: 'a very private film [[fail]]',
      duration: 4,
    });
    const { traceId, spanId } = spanIdsOf(headers['x-charge-id']!);

    await expectEventually(async () => {
      await world.app.get(RefundSweepProcessor, { strict: false }).run();
      return (await world.get(`/v1/agent/jobs/${body.jobId}`)).body.chargeState === 'refunded';
    });
    await expectEventually(() =>
      ['POST /v1/agent/generate', 'look', 'give back'].every((name) =>
        within(traceId).some((span) => span.name === name),
      ),
    );

    const [call] = within(traceId).filter(({ name }) => name === 'POST /v1/agent/generate');
    expect(call).toMatchObject({ spanId, kind: 2 });
    expect(within(traceId).filter(({ parentSpanId }) => parentSpanId === spanId).length).toBeGreaterThan(2);
    const names = within(traceId).map(({ name }) => name);
    expect(names.filter((name) => /hold|refund/.test(name))).not.toEqual([]);
  });

  it('hold nothing of what anybody said, and no permission', async () => {
    const { headers } = await post(
      '/v1/agent/chat',
      { messages: [{ role: 'user', content: 'Something very private.' }], max_tokens: 16 },
      { 'idempotency-key': 'a-private-mark' },
    );
    const again = await post(
      '/v1/agent/chat',
      { messages: [{ role: 'user', content: 'Something very private.' }], max_tokens: 16 },
      { 'idempotency-key': 'a-private-mark' },
    );
    const { traceId } = spanIdsOf(headers['x-charge-id']!);
    const calls = () => within(traceId).filter(({ kind }) => kind === 2);
    await expectEventually(() => calls().length === 2);

    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(new Set(calls().map(({ spanId }) => spanId)).size).toBe(2);
    for (const secret of ['private', caller.key, headers['x-charge-id']!, caller.accountId, 'job_'])
      expect(collector.bytes).not.toContain(secret);
    expect(collector.headers[0]).toMatchObject({ authorization: 'Bearer of-the-collector' });
  });

  it('are linked to those of callers, who do not choose ours', async () => {
    const theirs = 'a'.repeat(32);
    await world.get('/v1/agent/models', { traceparent: `00-${theirs}-${'b'.repeat(16)}-01` });
    await world.get('/v1/agent/models', { traceparent: 'nonsense' });

    const calls = () => collector.spans.filter(({ name }) => name === 'GET /v1/agent/models');
    await expectEventually(() => calls().length === 2);

    expect(within(theirs)).toEqual([]);
    expect(calls().map(({ links = [] }) => links.map(({ traceId }) => traceId))).toEqual([[theirs], []]);
    expect(new Set(calls().map(({ traceId }) => traceId)).size).toBe(2);
  });

  it('are lost when the collector is, and no call is', async () => {
    collector.status = 503;
    const { status } = await post('/v1/agent/generate', { prompt: 'a lamp' });
    const seen = collector.headers.length;
    await expectEventually(() => collector.headers.length > seen);
    collector.status = 200;

    expect(status).toBe(200);
  });
});
