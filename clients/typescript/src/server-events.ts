import type { CompletionPiece } from './completions.ts';

export interface StreamEvent extends Omit<CompletionPiece, 'charge'> {
  readonly charge?: { readonly id: string; readonly priceMicro: unknown };
  readonly error?: { readonly message?: string; readonly code?: string };
}

const LINE_ENDS = /\r\n|\r/g;

/**
 * The complete events of a stream, even if the network splits them. Throws if the stream ends before its last event.
 */
export async function* eventsOf({ body }: Response): AsyncGenerator<StreamEvent, void> {
  const reader = body?.getReader();
  if (reader === undefined) throw new TypeError('The answer is empty.');
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const text = rest + decoder.decode(piece.value, { stream: true });
      // A carriage return at the end may be the first half of a line break, so it waits for the next piece.
      const cut = text.endsWith('\r') ? text.length - 1 : text.length;
      const events = text.slice(0, cut).replaceAll(LINE_ENDS, '\n').split('\n\n');
      rest = (events.pop() ?? '') + text.slice(cut);
      for (const event of events) {
        const data = event
          .split('\n')
          .filter((line) => line.startsWith('data:'))
          .map((line) => line.slice(5).trimStart())
          .join('\n');
        if (data === '[DONE]') return;
        if (data !== '') yield JSON.parse(data) as StreamEvent;
      }
    }
  } finally {
    // Leaving the loop stops the work.
    await reader.cancel().catch(() => undefined);
  }
  throw new TypeError('The stream ended before its last event.');
}
