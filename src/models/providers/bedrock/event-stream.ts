import { EventStreamCodec, getChunkedStream } from '@smithy/core/event-streams';
import { fromUtf8, toUtf8 } from '@smithy/core/serde';

import { fieldsOf } from '../http/json-fields';

/** Longer than any event of a model. The stream names the length, and a broken server may send any number. */
const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
/** The limit for all messages together. */
const STREAM_BYTES_MAX = 32 * 1024 * 1024;

const codec = new EventStreamCodec(toUtf8, fromUtf8);

/** Throws if the stream is too long, or if a message has an impossible length. */
async function* bounded(body: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  let start = Buffer.alloc(0);
  let left = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > STREAM_BYTES_MAX) throw new RangeError('an endless stream');
    for (let at = 0; at < chunk.length;) {
      if (left === 0) {
        const part = chunk.subarray(at, at + 4 - start.length);
        start = Buffer.concat([start, part]);
        at += part.length;
        if (start.length < 4) break;
        const length = start.readUInt32BE();
        if (length < 16 || length > MESSAGE_BYTES_MAX) throw new RangeError('a message of an absurd length');
        left = length - 4;
        start = Buffer.alloc(0);
      } else {
        const part = Math.min(left, chunk.length - at);
        left -= part;
        at += part;
      }
    }
    yield chunk;
  }
}

/**
 * The messages of AWS's event stream, as JSON with the type of the event or of the exception. A wrong checksum throws.
 */
export async function* eventStream(body: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> {
  for await (const message of getChunkedStream(bounded(body))) {
    const { headers, body: payload } = codec.decode(message);
    const value = (name: string): unknown => headers[name]?.value;
    const type = value(':event-type') ?? value(':exception-type') ?? value(':error-code');
    const fields = payload.length === 0 ? {} : fieldsOf(JSON.parse(toUtf8(payload)));
    yield [JSON.stringify({ ...fields, type, kind: value(':message-type') })];
  }
}
