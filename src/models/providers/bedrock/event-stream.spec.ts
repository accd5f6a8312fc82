import { EventStreamCodec } from '@smithy/core/event-streams';
import { fromUtf8, toUtf8 } from '@smithy/core/serde';

import { eventStream } from './event-stream';

const codec = new EventStreamCodec(toUtf8, fromUtf8);

const message = (type: string, payload: object): Buffer =>
  Buffer.from(
    codec.encode({
      headers: { ':event-type': { type: 'string', value: type } },
      body: fromUtf8(JSON.stringify(payload)),
    }),
  );

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

const read = async (bytes: Buffer, size = bytes.length): Promise<unknown[]> => {
  const events: unknown[] = [];
  for await (const batch of eventStream(inPieces(bytes, size)))
    events.push(...batch.map((text) => JSON.parse(text) as unknown));
  return events;
};

describe('an event stream of AWS', () => {
  const two = Buffer.concat([
    message('messageStart', { role: 'assistant' }),
    message('contentBlockDelta', { delta: { text: 'Grüße 🦊' } }),
  ]);

  it.each([1, 3, 7, 64, 10_000])('is the same in pieces of %i bytes', async (size) => {
    expect(await read(two, size)).toEqual([
      { type: 'messageStart', role: 'assistant' },
      { type: 'contentBlockDelta', delta: { text: 'Grüße 🦊' } },
    ]);
  });

  it('fails at a wrong checksum, a message that is cut, and an absurd length', async () => {
    const changed = Buffer.from(two);
    changed[two.length - 6]! ^= 1;
    await expect(read(changed)).rejects.toThrow('checksum');
    await expect(read(two.subarray(0, two.length - 3))).rejects.toThrow('Truncated');
    await expect(read(Buffer.from([0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0]))).rejects.toThrow('absurd');
    await expect(read(Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]))).rejects.toThrow('absurd');
  });
});
