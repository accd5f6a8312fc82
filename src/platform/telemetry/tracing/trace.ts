import { createHash } from 'node:crypto';

import { randomBytes } from '../../../kernel/random';

/** So that a stream of a quarter of an hour does not fill the memory. */
const SPANS_MAX = 500;

export const SpanKind = { internal: 1, server: 2, client: 3 } as const;

type Value = string | number | boolean | undefined;

export interface Span {
  readonly name: string;
  readonly kind: (typeof SpanKind)[keyof typeof SpanKind];
  readonly began: bigint;
  readonly ended: bigint;
  readonly failed: boolean;
  /** What operators may read: names, hosts and statuses. No address, no value and no text of anybody. */
  readonly about: Readonly<Record<string, Value>>;
}

export interface PlacedSpan extends Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId?: string;
  readonly link?: Link;
}

/** A span of somebody else's trace. */
export interface Link {
  readonly traceId: string;
  readonly spanId: string;
}

/** Nanoseconds since 1970. */
export const nowNanos = (): bigint =>
  BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)) * 1_000n;

const newSpanId = (): string => randomBytes(8).toString('hex');

/** The trace of a charge follows from its id: whoever works on it later finds it, without a word from whoever began. */
export const placeOf = (chargeId: string): Link => {
  const digest = createHash('sha256').update(chargeId).digest('hex');
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) };
};

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/;

/** What a caller says of its own trace. Ours is not a part of it: a stranger would choose what is kept, and where. */
export const linkOf = (traceparent: unknown): Link | undefined => {
  const [, traceId, spanId] = (typeof traceparent === 'string' && TRACEPARENT.exec(traceparent)) || [];
  return traceId !== undefined && spanId !== undefined ? { traceId, spanId } : undefined;
};

/** What happens for one call, or for one piece of work. Spans wait here until it is known which trace they belong to. */
export class Trace {
  private readonly waiting: Span[] = [];
  private place?: Link & { readonly parentId?: string };

  constructor(
    private readonly send: (span: PlacedSpan) => void,
    readonly began = nowNanos(),
  ) {}

  get id(): string | undefined {
    return this.place?.traceId;
  }

  /** Of the call that made the charge, the span's id follows from it, too; what comes later stands below that. */
  belongsTo(chargeId: string | undefined, isFirst: boolean): void {
    if (this.place !== undefined) return;
    const charge = chargeId === undefined ? undefined : placeOf(chargeId);
    if (charge !== undefined && isFirst) this.place = charge;
    else {
      const traceId = charge?.traceId ?? randomBytes(16).toString('hex');
      this.place = { traceId, spanId: newSpanId(), ...(charge && { parentId: charge.spanId }) };
    }
  }

  add(span: Span): void {
    if (this.place !== undefined) this.sendBelow(span);
    else if (this.waiting.length < SPANS_MAX) this.waiting.push(span);
  }

  /** The whole of it. What is added later goes out at once. */
  end(span: Omit<Span, 'began' | 'ended'>, link?: Link): void {
    this.belongsTo(undefined, false);
    this.send({ ...span, began: this.began, ended: nowNanos(), ...this.place!, ...(link && { link }) });
    for (const one of this.waiting.splice(0)) this.sendBelow(one);
  }

  private sendBelow(span: Span): void {
    const { traceId, spanId } = this.place!;
    this.send({ ...span, traceId, spanId: newSpanId(), parentId: spanId });
  }
}
