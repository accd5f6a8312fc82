import type { Readable } from 'node:stream';

/** An event longer than this is none of a model's. */
const EVENT_CHARS_MAX = 4 * 1024 * 1024;
/** All events together: more than any model says in one answer. */
const STREAM_BYTES_MAX = 32 * 1024 * 1024;

/** The lines of a stream. What has come of a line waits in pieces, so that a long one costs no more than its length. */
async function* linesOf(body: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  let waiting = 0;
  let bytes = 0;
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > STREAM_BYTES_MAX) throw new RangeError('an endless stream');
    const [first = '', ...more] = decoder.decode(chunk, { stream: true }).split('\n');
    rest.push(first);
    waiting += first.length;
    for (const line of more) {
      yield rest.join('').replace(/\r$/, '');
      rest = [line];
      waiting = line.length;
    }
    if (waiting > EVENT_CHARS_MAX) throw new RangeError('an endless line');
  }
}

/** The `data:` lines of an event stream, each event's lines joined. Whoever stops early ends the stream itself. */
export async function* serverEvents(body: Readable): AsyncGenerator<string> {
  let data: string[] = [];
  let chars = 0;
  for await (const line of linesOf(body)) {
    if (line.startsWith('data:')) {
      data.push(line.slice(5).replace(/^ /, ''));
      chars += line.length;
      if (chars > EVENT_CHARS_MAX) throw new RangeError('an endless event');
    }
    if (line === '' && data.length > 0) {
      yield data.join('\n');
      data = [];
      chars = 0;
    }
  }
  if (data.length > 0) yield data.join('\n');
}
