import { Readable } from 'node:stream';

import { serverEvents } from './server-events';

const eventsOf = async (...chunks: readonly (string | Buffer)[]): Promise<string[]> => {
  const events: string[] = [];
  for await (const event of serverEvents(Readable.from(chunks.map((chunk) => Buffer.from(chunk))))) {
    events.push(...event);
  }
  return events;
};

describe('server-sent events', () => {
  it.each([
    [['data: a\n\ndata: b\n\n'], ['a', 'b']],
    [
      ['da', 'ta: a', '\n', '\nda', 'ta:b\n\n'],
      ['a', 'b'],
    ],
    [['data: a\r\n\r\ndata: b\r\n\r\n'], ['a', 'b']],
    [['data: a\ndata: b\n\n'], ['a\nb']],
    [[': keep-alive\n\nevent: x\ndata: a\n\n'], ['a']],
    [['data: a\n'], ['a']],
    [['data: [DONE]'], []], // The last line has no end, so it was cut off.
    [[], []],
  ])('reads %j', async (chunks, expected) => {
    expect(await eventsOf(...chunks)).toEqual(expected);
  });

  it('keeps letters whole that arrive in parts', async () => {
    const bytes = Buffer.from('data: ü\n\n');

    expect(await eventsOf(bytes.subarray(0, 7), bytes.subarray(7))).toEqual(['ü']);
  });

  it('gives up on a line that does not end', async () => {
    await expect(eventsOf('data: ', Buffer.alloc(5 * 1024 * 1024, 'x'))).rejects.toThrow('endless');
  });
});
