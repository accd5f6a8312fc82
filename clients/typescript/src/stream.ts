import type { CompletionPiece } from './completions.ts';
import { type ChargeState, LamppostError, NoAnswer } from './errors.ts';
import { pause } from './pause.ts';
import { COSTS_NOTHING, type Opened, wasReplayed } from './payer.ts';
import type { Retry } from './sender.ts';
import { type StreamEvent, eventsOf } from './server-events.ts';

/** The options for the continuation of a broken stream. */
export interface Continuing {
  readonly idempotencyKey: string;
  readonly tries: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onRetry: ((retry: Retry) => void) | undefined;
  /** Asks once for the state of the call's charge. */
  readonly readState: () => Promise<ChargeState>;
}

const PAUSE_MS = 500;
/** The time without a new piece after which a broken stream is given up. */
const PATIENCE_MS = 60_000;

/** The service's error that ends a stream. */
const failureIn = ({ error }: StreamEvent, response: Response): LamppostError => {
  const chargeState = error?.code === 'SETTLEMENT_PENDING' ? 'settling' : 'released';
  return new LamppostError(503, { error }, response.headers, chargeState);
};

/**
 * Whether the money of a broken answer came back, as after the death of the service. Then the same call would begin a
 * different answer, and the stream can't continue with it. While the service is away, nobody knows.
 */
const isReturned = async (
  readState: Continuing['readState'],
  until: number,
  signal: AbortSignal | undefined,
): Promise<boolean> => {
  while (Date.now() < until) {
    try {
      const state = await readState();
      if (state !== 'held' && state !== 'settling') return COSTS_NOTHING.has(state);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof LamppostError && !error.retryable) return false;
    }
    await pause(PAUSE_MS, signal);
  }
  return false;
};

/**
 * The pieces of a streamed answer. After a broken connection, the client sends the same call again. The service repeats
 * the text so far without a new charge, and reading continues after the last received piece.
 */
export async function* piecesOf(
  opened: Opened,
  { idempotencyKey, tries = Infinity, signal, onRetry, readState }: Continuing,
): AsyncGenerator<CompletionPiece, void> {
  let { response } = opened;
  let read = 0;
  let isSettled = false;
  let brokeAt: number | undefined;
  for (let tried = 1; ; tried += 1) {
    let reason: Error;
    try {
      let at = 0;
      for await (const event of eventsOf(response)) {
        if (event.error !== undefined) {
          const failure = failureIn(event, response);
          // A failed answer may have cost something only if its settlement is still open.
          if (failure.chargeState === 'released') await opened.settle(0);
          throw failure;
        }
        at += 1;
        if (at <= read) continue;
        read = at;
        brokeAt = undefined;
        const { charge, error: _, ...piece } = event;
        if (charge === undefined) yield piece;
        else if (!isSettled) {
          // A call has one cost, even if a service reports several.
          isSettled = true;
          const micro = await opened.settle(charge.priceMicro, wasReplayed(response.headers));
          const requestId = opened.response.headers.get('x-request-id') ?? undefined;
          yield { ...piece, charge: { id: charge.id, micro }, requestId };
        }
      }
      return;
    } catch (error) {
      if (error instanceof LamppostError) throw error;
      signal?.throwIfAborted();
      reason = error as Error;
    }
    brokeAt ??= Date.now();
    if (tried >= tries || Date.now() - brokeAt > PATIENCE_MS) throw new NoAnswer(idempotencyKey, reason);
    const retry = { method: 'POST', path: '/v1/chat/completions', tried, waitMs: PAUSE_MS, reason };
    onRetry?.({ ...retry, isWait: false });
    await pause(PAUSE_MS, signal);
    if (read > 0 && (await isReturned(readState, brokeAt + PATIENCE_MS, signal))) {
      await opened.settle(0);
      throw new NoAnswer(idempotencyKey, reason);
    }
    response = await opened.again();
    if (read > 0 && !wasReplayed(response.headers)) {
      await response.body?.cancel();
      throw new NoAnswer(idempotencyKey, reason);
    }
  }
}
