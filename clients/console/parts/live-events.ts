import { useEffect, useRef } from 'preact/hooks';

import { type Schemas, addressOf } from './api.ts';
import { actingHeaders } from './organisation.ts';

/** An event of the account or of a job. */
interface LiveEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A listener. It is called without an event if events may have been missed, and then reloads everything. */
type Listener = (happened: LiveEvent | undefined) => void;

const AGAIN_MS = 5_000;
/**
 * The shortest time between two reloads. A busy account has many events in a short time, and one request shows the
 * effect of all of them.
 */
const RELOADS_APART_MS = 1_000;

/** All event types of an account. */
export const EVENT_TYPES = [
  'job.accepted',
  'job.done',
  'job.failed',
  'charge.charged',
  'charge.released',
  'charge.refunded',
  'balance.topped_up',
  'top_up.failed',
  'balance.low',
  'spend.high',
  'key.limit_near',
  'key.expiring',
  'reference.ready',
  'webhook.disabled',
  'model.changed',
  'model.unavailable',
  'model.retired',
] as const satisfies readonly Schemas['EventAnswer']['type'][];

export type LiveType = (typeof EVENT_TYPES)[number];

/** Reads the messages of a stream of server-sent events, until the stream ends. */
const readMessages = async (
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onMessage: (fields: Readonly<Record<string, string>>) => void,
): Promise<void> => {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const messages = (rest + value).split('\n\n');
    rest = messages.pop() ?? '';
    for (const message of messages) {
      const fields = message.split('\n').map((line) => line.split(/: ?(.*)/s, 2) as [string, string]);
      onMessage(Object.fromEntries(fields));
    }
  }
};

/**
 * Follows a stream of the service until the returned function is called. After an interruption, it resumes after the
 * last event. It closes the stream while the page is hidden, because browsers allow few connections to one service.
 * `EventSource` can't send the header that names the organisation, so this uses `fetch`.
 */
export const follow = (address: string, types: readonly string[], listener: Listener): (() => void) => {
  let open: AbortController | undefined;
  let timer = 0;
  let last: string | undefined;
  const close = (): void => {
    open?.abort();
    open = undefined;
    clearTimeout(timer);
  };
  const start = async (): Promise<void> => {
    close();
    const stop = new AbortController();
    open = stop;
    try {
      const resumed: Readonly<Record<string, string>> = last === undefined ? {} : { 'last-event-id': last };
      const headers = { accept: 'text/event-stream', ...actingHeaders(), ...resumed };
      const { ok, body } = await fetch(address, { headers, signal: stop.signal });
      if (ok && body !== null) {
        listener(undefined);
        await readMessages(body, ({ id, event = '', data = '' }) => {
          last = id ?? last;
          if (open === stop && types.includes(event)) listener(JSON.parse(data) as LiveEvent);
        });
      }
    } catch {
      // After any error, the code below opens the stream again.
    }
    if (open === stop) timer = setTimeout(() => void start(), AGAIN_MS);
  };
  const adapt = (): void => (document.hidden ? close() : void start());
  document.addEventListener('visibilitychange', adapt);
  adapt();
  return () => {
    document.removeEventListener('visibilitychange', adapt);
    close();
  };
};

const listeners = new Set<Listener>();
let leave: (() => void) | undefined;

/** Subscribes to the live events of the account. All listeners of a page share one stream. */
export const listen = (listener: Listener): (() => void) => {
  listeners.add(listener);
  leave ??= follow(addressOf('/v1/agent/events', { query: { after: 'now' } }), EVENT_TYPES, (happened) =>
    listeners.forEach((each) => each(happened)),
  );
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    leave?.();
    leave = undefined;
  };
};

/** Subscribes while the component is shown. Operators' pages have no account, and so no events. */
const useLive = (waits: boolean, listener: Listener): void => {
  const newest = useRef(listener);
  newest.current = listener;
  useEffect(() => (waits ? listen((happened) => newest.current(happened)) : undefined), [waits]);
};

/** Calls `reload` after one of these events, and after a reconnection. `lagMs` delays it for effects that take time. */
export const useReloadAfter = (types: readonly LiveType[], reload: () => void, lagMs = 0): void => {
  const timer = useRef(0);
  const last = useRef(0);
  useLive(types.length > 0, (happened) => {
    if (happened !== undefined && !types.some((type) => type === happened.type)) return;
    if (timer.current !== 0) return;
    const wait = Math.max(lagMs, last.current + RELOADS_APART_MS - Date.now());
    timer.current = setTimeout(() => {
      timer.current = 0;
      last.current = Date.now();
      reload();
    }, wait);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
};

/** All events about a movement of money. */
export const MONEY_MOVES: readonly LiveType[] = [
  'charge.charged',
  'charge.released',
  'charge.refunded',
  'balance.topped_up',
];
