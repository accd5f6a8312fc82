import { Readable } from 'node:stream';

import { InvalidRequest } from '#kernel/app-error';
import { type FormReader, readMultipart } from './multipart';

const TYPE = 'multipart/form-data; boundary=edge';
const MEGABYTE = 1024 * 1024;

const tooMany = (): InvalidRequest => new InvalidRequest('too many');
const tooLarge = (): InvalidRequest => new InvalidRequest('too large');

/** Reads a form in chunks of 64 KB, as a socket gives them, and returns the names and sizes of its parts. */
const read = async (form: Buffer, changes: Partial<FormReader> = {}) => {
  const parts: string[] = [];
  const chunks = function* (): Generator<Buffer> {
    for (let at = 0; at < form.length; at += 65_536) yield form.subarray(at, at + 65_536);
  };
  const source = Readable.from(chunks(), { objectMode: false });
  await readMultipart(source, TYPE, {
    fieldsMax: 20,
    fieldBytesMax: 100,
    filesMax: 1,
    fileBytesMax: MEGABYTE,
    field: (name, text) => void parts.push(`${name}=${text}`),
    file: async (name, stream) => {
      let bytes = 0;
      for await (const chunk of stream as AsyncIterable<Buffer>) bytes += chunk.length;
      parts.push(`${name}:${bytes}`);
    },
    tooManyParts: tooMany,
    tooLargeFile: tooLarge,
    ...changes,
  });
  return parts;
};

const part = (head: string, content: string | Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`--edge\r\ncontent-disposition: ${head}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
const END = Buffer.from('--edge--\r\n');

describe('the one parser of forms', () => {
  it('reads fields and a file', async () => {
    const form = [
      part('form-data; name="a"', '1'),
      part('form-data; name="f"; filename="f"', Buffer.alloc(300_000)),
    ];
    expect(await read(Buffer.concat([...form, END]))).toEqual(['a=1', 'f:300000']);
  });

  it.each([
    ['fields', part('form-data; name="a"', '')],
    ['files', part('form-data; name="a"; filename="a"', '')],
    ['parts without a name', part('form-data', '')],
    ['parts that are no form-data', part('x', '')],
    ['parts without a header', Buffer.from('--edge\r\n\r\n\r\n')],
    ['boundaries', Buffer.from('--edge\r\n')],
  ])('stops after the allowed number of %s, however many follow', async (_, one) => {
    const many = Buffer.concat(Array.from({ length: Math.ceil((24 * MEGABYTE) / one.length) }, () => one));
    const before = process.cpuUsage();
    await expect(read(Buffer.concat([many, END]))).rejects.toBeInstanceOf(InvalidRequest);

    // The same bytes cost several seconds if each part is parsed.
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1);
  });

  it.each([
    ['a field that is cut', { fieldBytesMax: 3 }, part('form-data; name="a"', '12345'), 'a is too long.'],
    [
      'a file that is too large',
      { fileBytesMax: 3 },
      part('form-data; name="a"; filename="a"', '12345'),
      'too large',
    ],
    [
      'a file without a name',
      {},
      part('form-data; filename="a"', '1'),
      'The body is not a valid multipart form.',
    ],
    ['a field without a name', {}, part('form-data', '1'), 'The body is not a valid multipart form.'],
  ] as const)('refuses %s', async (_, limits, one, message) => {
    await expect(read(Buffer.concat([one, END]), limits)).rejects.toThrow(message);
  });

  it.each(['field', 'file'] as const)('makes an error of the handler of a %s the answer', async (kind) => {
    const fail = (): never => {
      throw new InvalidRequest('no');
    };
    const one = part(`form-data; name="a"${kind === 'file' ? '; filename="a"' : ''}`, 'x');

    await expect(read(Buffer.concat([one, one, END]), { [kind]: fail })).rejects.toThrow('no');
  });

  it.each([1, 50, 100, 70_000])('refuses a file that ends after %d bytes of its form', async (end) => {
    const form = part('form-data; name="f"; filename="f"', Buffer.alloc(300_000));
    const streams: Readable[] = [];
    const file = async (_: string, stream: Readable): Promise<void> => {
      streams.push(stream);
      stream.resume(); // A loop would leave a listener of its own.
    };

    await expect(read(form.subarray(0, end), { file })).rejects.toThrow(
      'The body is not a valid multipart form.',
    );

    // A late error of such a stream would end the process.
    for (const stream of streams) {
      expect(stream.destroyed).toBe(true);
      expect(stream.listenerCount('error')).toBeGreaterThan(0);
    }
    expect(streams).toHaveLength(end > 70 ? 1 : 0);
  });
});
