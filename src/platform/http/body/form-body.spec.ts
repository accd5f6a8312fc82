import { readForm } from './form-body';

const TYPE = 'multipart/form-data; boundary=edge';

const part = (name: string, text: string, more = ''): string =>
  `--edge\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${text}\r\n`;
const read = (...parts: readonly string[]) => readForm(TYPE, Buffer.from(`${parts.join('')}--edge--\r\n`));
const refusal = (message: string, param?: string) =>
  expect.objectContaining({
    message,
    ...(param !== undefined && { extras: expect.objectContaining({ param }) }),
  });

describe('a multipart form', () => {
  it('is read as its texts, in which true and false mean what they say', async () => {
    expect(
      await read(part('prompt', 'A lamp, lit – 灯'), part('seconds', '4'), part('sound', 'true')),
    ).toEqual({
      prompt: 'A lamp, lit – 灯',
      seconds: '4',
      sound: true,
    });
  });

  it('may be empty', async () => {
    expect(await read()).toEqual({});
  });

  it('is read from what FormData writes', async () => {
    const form = new FormData();
    form.set('prompt', 'Two lines\nand "quotes"');
    const sent = new Response(form);

    const bytes = Buffer.from(await sent.arrayBuffer());
    expect(await readForm(sent.headers.get('content-type')!, bytes)).toEqual({
      prompt: 'Two lines\nand "quotes"'.replaceAll('\n', '\r\n'),
    });
  });

  it.each(['prompt', '__proto__'])('names %s once', async (name) => {
    const twice = name === '__proto__' ? [part(name, 'a')] : [part(name, 'a'), part(name, 'b')];

    await expect(read(...twice)).rejects.toEqual(refusal(`The form must name ${name} once.`, name));
  });

  it('holds no file', async () => {
    await expect(read(part('image', 'bytes', '; filename="lamp.png"'))).rejects.toEqual(
      refusal('image must be text, not a file.', 'image'),
    );
  });

  it('holds a hundred fields at most', async () => {
    const parts = Array.from({ length: 101 }, (_, at) => part(`field${at}`, 'a'));

    expect(Object.keys(await read(...parts.slice(1)))).toHaveLength(100);
    await expect(read(...parts)).rejects.toEqual(refusal('The form holds more than 100 fields.'));
  });

  it.each([
    ['cut off', TYPE, part('prompt', 'a').slice(0, -4)],
    ['of another boundary', 'multipart/form-data; boundary=brim', `${part('prompt', 'a')}--edge--\r\n`],
    ['without a boundary', 'multipart/form-data', `${part('prompt', 'a')}--edge--\r\n`],
    ['no form', TYPE, '{"prompt":"a"}'],
  ])('that is %s is refused', async (_, type, text) => {
    await expect(readForm(type, Buffer.from(text))).rejects.toEqual(
      refusal('The body is not a valid multipart form.'),
    );
  });
});
