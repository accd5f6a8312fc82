import { createHash } from 'node:crypto';

import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  TraceFlags,
  context,
  createContextKey,
} from '@opentelemetry/api';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-base';

/** The most spans of a call that are kept, so that a stream of 15 minutes does not fill the memory. */
const SPANS_MAX = 500;

type SpanIds = Pick<SpanContext, 'traceId' | 'spanId'>;

/**
 * Derives the trace of a charge from the charge's id, so every process that works on the charge finds the same trace.
 */
export const spanIdsOf = (chargeId: string): SpanIds => {
  const digest = createHash('sha256').update(chargeId).digest('hex');
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) };
};

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/;

/**
 * The trace that a caller names. Our trace is only linked to it. If our trace were part of it, a stranger could decide
 * which traces are kept.
 */
export const linkOf = (traceparent: unknown): SpanContext | undefined => {
  const [, traceId, spanId] = (typeof traceparent === 'string' && TRACEPARENT.exec(traceparent)) || [];
  return traceId !== undefined && spanId !== undefined
    ? { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true }
    : undefined;
};

const CALL = createContextKey('The call whose spans wait for its charge.');

/**
 * The spans of one call. They wait for the answer of the call, because only then its charge is known, and the charge
 * decides the trace.
 */
export class CallSpans {
  readonly waiting: ReadableSpan[] = [];
  private readonly root: SpanContext;
  private final?: SpanIds & { readonly parentId?: string };

  constructor(readonly span: Span) {
    this.root = span.spanContext();
  }

  /** The final trace of the call; undefined while it is unknown. */
  get traceId(): string | undefined {
    return this.final?.traceId;
  }

  holds({ traceId }: SpanContext): boolean {
    return traceId === this.root.traceId;
  }

  /**
   * Sets the trace of the call. The first call of a charge is the root span of the charge's trace, and later calls are
   * below that span.
   */
  settle(chargeId: string | undefined, isFirst: boolean): void {
    if (chargeId === undefined) this.final = this.root;
    else if (isFirst) this.final = spanIdsOf(chargeId);
    else {
      const { traceId, spanId } = spanIdsOf(chargeId);
      this.final = { traceId, spanId: this.root.spanId, parentId: spanId };
    }
  }

  /** The same span, moved to its final place in the trace. */
  inFinalTrace(span: ReadableSpan): ReadableSpan {
    const { traceId, spanId, parentId } = this.final!;
    const moved = (from: SpanContext): SpanContext => ({
      ...from,
      traceId,
      spanId: from.spanId === this.root.spanId ? spanId : from.spanId,
    });
    const own = moved(span.spanContext());
    const above =
      span.parentSpanContext === undefined
        ? parentId && { ...own, spanId: parentId }
        : moved(span.parentSpanContext);
    return Object.create(span, {
      spanContext: { value: () => own },
      parentSpanContext: { value: above },
    }) as ReadableSpan;
  }
}

export const callIn = (active: Context): CallSpans | undefined =>
  active.getValue(CALL) as CallSpans | undefined;

export const withCall = (active: Context, call: CallSpans): Context => active.setValue(CALL, call);

/** Places the spans of each call into the trace of its charge, and exports the sampled ones. */
export class ChargeTraces implements SpanProcessor {
  private readonly calls = new WeakMap<object, CallSpans>();

  constructor(
    private readonly next: SpanProcessor,
    /** The number of traces of each thousand to keep. */
    private readonly keepPermille: number,
  ) {}

  onStart(span: Span, active: Context): void {
    const call = callIn(active);
    if (call?.holds(span.spanContext())) this.calls.set(span, call);
  }

  onEnd(span: ReadableSpan): void {
    const call = this.calls.get(span);
    if (call === undefined) this.keep(span);
    else if (call.traceId !== undefined) this.keep(call.inFinalTrace(span));
    else if (call.waiting.length < SPANS_MAX) call.waiting.push(span);
  }

  /** Ends the call's own span and exports the waiting spans. Later spans of the call are exported at once. */
  end(call: CallSpans, chargeId: string | undefined, isFirst: boolean): void {
    call.settle(chargeId, isFirst);
    this.calls.set(call.span, call);
    call.span.end();
    for (const span of call.waiting.splice(0)) this.keep(call.inFinalTrace(span));
  }

  forceFlush(): Promise<void> {
    return this.next.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.next.shutdown();
  }

  private keep(span: ReadableSpan): void {
    // The id of the trace decides, so that all processes keep the spans of the same traces.
    if (Number.parseInt(span.spanContext().traceId.slice(0, 8), 16) % 1_000 >= this.keepPermille) return;
    // The export belongs to no call, so it runs outside of the async context.
    context.with(ROOT_CONTEXT, () => this.next.onEnd(span));
  }
}
