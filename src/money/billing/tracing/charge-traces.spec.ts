import { type Context, ROOT_CONTEXT, type Tracer, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

import { CallSpans, ChargeTraces, linkOf, spanIdsOf, withCall } from './charge-traces';

const CHARGE = 'ch_of_the_call';

describe('the spans of a call', () => {
  let exported: InMemorySpanExporter;
  let charges: ChargeTraces;
  let tracer: Tracer;
  let call: CallSpans;
  let active: Context;

  const begin = (keepPermille = 1_000): void => {
    exported = new InMemorySpanExporter();
    charges = new ChargeTraces(new SimpleSpanProcessor(exported), keepPermille);
    tracer = new BasicTracerProvider({ spanProcessors: [charges] }).getTracer('test');
    call = new CallSpans(tracer.startSpan('call', {}, ROOT_CONTEXT));
    active = withCall(trace.setSpan(ROOT_CONTEXT, call.span), call);
  };
  const spanNamed = (name: string) => exported.getFinishedSpans().find((span) => span.name === name)!;
  const placed = (name: string): readonly (string | undefined)[] => {
    const span = spanNamed(name);
    return [span.spanContext().traceId, span.parentSpanContext?.spanId];
  };

  beforeEach(() => begin());

  it('wait for its charge, and are then below the span that follows from it', () => {
    const hold = tracer.startSpan('hold', {}, active);
    tracer.startSpan('statement', {}, trace.setSpan(active, hold)).end();
    hold.end();
    expect(exported.getFinishedSpans()).toEqual([]);

    charges.end(call, CHARGE, true);

    const { traceId, spanId } = spanIdsOf(CHARGE);
    expect(spanNamed('call').spanContext()).toMatchObject({ traceId, spanId });
    expect(placed('call')).toEqual([traceId, undefined]);
    expect(placed('hold')).toEqual([traceId, spanId]);
    expect(placed('statement')).toEqual([traceId, hold.spanContext().spanId]);
  });

  it('of a later call are below a span of their own', () => {
    charges.end(call, CHARGE, false);

    const { traceId, spanId } = spanIdsOf(CHARGE);
    expect(placed('call')).toEqual([traceId, spanId]);
    expect(spanNamed('call').spanContext().spanId).not.toBe(spanId);
  });

  it('that end after it are placed, too', () => {
    const late = tracer.startSpan('late', {}, active);
    charges.end(call, CHARGE, true);
    late.end();

    const { traceId, spanId } = spanIdsOf(CHARGE);
    expect(placed('late')).toEqual([traceId, spanId]);
  });

  it('keep a trace of their own where they ask for one', () => {
    const other = tracer.startSpan('other', { root: true }, active);
    other.end();
    charges.end(call, CHARGE, true);

    expect(placed('other')).toEqual([other.spanContext().traceId, undefined]);
  });

  it('are 500 at most while they wait', () => {
    for (let at = 0; at < 600; at += 1) tracer.startSpan('statement', {}, active).end();
    charges.end(call, CHARGE, true);

    expect(exported.getFinishedSpans()).toHaveLength(501);
  });

  it('are kept whole, or not at all', () => {
    begin(Number.parseInt(spanIdsOf(CHARGE).traceId.slice(0, 8), 16) % 1_000);
    tracer.startSpan('statement', {}, active).end();
    charges.end(call, CHARGE, true);
    expect(exported.getFinishedSpans()).toEqual([]);

    begin((Number.parseInt(spanIdsOf(CHARGE).traceId.slice(0, 8), 16) % 1_000) + 1);
    tracer.startSpan('statement', {}, active).end();
    charges.end(call, CHARGE, true);
    expect(exported.getFinishedSpans()).toHaveLength(2);
  });
});

describe('the trace that a caller names', () => {
  it.each([undefined, '', 'nonsense', `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`, ['00']])(
    'is ignored where it is none: %s',
    (traceparent) => {
      expect(linkOf(traceparent)).toBeUndefined();
    },
  );

  it('is a link', () => {
    expect(linkOf(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`)).toMatchObject({
      traceId: 'a'.repeat(32),
      spanId: 'b'.repeat(16),
    });
  });
});
