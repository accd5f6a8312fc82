import type { CompletionPiece } from './completions.ts';

interface Event extends Omit<CompletionPiece, 'charge'> {
  readonly charge?: { readonly id: string; readonly priceMicro: number };
  readonly error?: { readonly message?: string; readonly code?: string };
}

/** The events of a stream, whole, however the network cut them. */
export async function* eventsOf({ body }: Response): AsyncGenerator<Event> {
  if (body === null) return;
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const events = (rest + decoder.decode(piece.value, { stream: true })).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        const data = event
          .split('\n')
          .filter((line) => line.startsWith('data:'))
          .map((line) => line.slice(5).trimStart())
          .join('\n');
        if (data === '[DONE]') return;
        if (data !== '') yield JSON.parse(data) as Event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined); // Who stops reading stops the work.
  }
}
