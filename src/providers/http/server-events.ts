import type { Readable } from 'node:stream';

/** A line longer than this is no event of a model's. */
const LINE_CHARS_MAX = 4 * 1024 * 1024;

/** The `data:` lines of an event stream, each event's lines joined. Whoever stops early ends the stream itself. */
export async function* serverEvents(body: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_CHARS_MAX) throw new RangeError('an endless line');
    for (const line of lines.map((text) => text.replace(/\r$/, ''))) {
      if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
      if (line === '' && data.length > 0) {
        yield data.join('\n');
        data = [];
      }
    }
  }
  if (data.length > 0) yield data.join('\n');
}
