import { createParser } from 'eventsource-parser';

export interface ReadEvent {
  readonly id?: string;
  readonly event?: string;
  // The value is parsed JSON, so it may be of any type.
  // eslint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

/** Reads a stream of events over a real connection, until there are enough events or the stream ends. */
export const readEvents = async (
  url: string,
  headers: Readonly<Record<string, string>>,
  enough: (events: readonly ReadEvent[]) => boolean,
  over?: AbortSignal,
): Promise<{ readonly events: readonly ReadEvent[]; readonly ended: boolean; readonly status: number }> => {
  const leaving = new AbortController();
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: over === undefined ? leaving.signal : AbortSignal.any([leaving.signal, over]),
  });
  const events: ReadEvent[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) => events.push({ id, event, data: JSON.parse(data) as unknown }),
  });
  const decoder = new TextDecoder();
  let ended = true;
  try {
    for await (const chunk of response.body!) {
      parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
      if (!enough(events)) continue;
      ended = false;
      break;
    }
  } finally {
    leaving.abort();
  }
  return { events, ended, status: response.status };
};
