import { StringDecoder } from 'node:string_decoder';

import { createParser } from 'eventsource-parser';

/** The limit for one event. Real events of models are shorter. */
const EVENT_CHARS_MAX = 4 * 1024 * 1024;
/** The limit for all events together. Real answers of models are shorter. */
const STREAM_BYTES_MAX = 32 * 1024 * 1024;

/** The data of a stream's events, grouped as they arrived. A caller that stops early must also stop the body. */
export async function* serverEvents(body: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> {
  const decoder = new StringDecoder('utf8');
  let events: string[] = [];
  const parser = createParser({
    maxBufferSize: EVENT_CHARS_MAX,
    onEvent: ({ data }) => events.push(data),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw new RangeError('an endless event');
    },
  });
  let bytes = 0;
  let text = '';
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > STREAM_BYTES_MAX) throw new RangeError('an endless stream');
    text = decoder.write(chunk);
    if (bytes === chunk.length) text = text.replace(/^\uFEFF/, '');
    parser.feed(text);
    if (events.length > 0) yield events;
    events = [];
  }
  // If the stream ends after a complete line, its last event is used, even without a blank line. A cut line is ignored.
  if (text.endsWith('\n')) parser.feed('\n');
  if (events.length > 0) yield events;
}
