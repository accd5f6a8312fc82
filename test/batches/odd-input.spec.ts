import { KeyCaller } from '../support/caller';
import { catalogOf, textEntry } from '../support/catalogs';
import { World } from '../support/world';

const MEGABYTE = 1024 * 1024;
const ENDPOINT = '/v1/chat/completions';

const lineWith = (body: string, id = '"a"'): string =>
  `{"custom_id":${id},"method":"POST","url":"${ENDPOINT}","body":{"messages":[{"role":"user","content":"x"}],"x":${body}}}`;

describe('batches of odd input', () => {
  let world: World;
  let caller: KeyCaller;

  beforeAll(async () => {
    world = await World.start(catalogOf([], [textEntry('other', ['sandbox:text'], { default: true })]));
    caller = await KeyCaller.register(world, 50_000_000n);
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const send = async (text: string) => {
    const form = new FormData();
    form.append('purpose', 'batch');
    form.append('file', new Blob([text]), 'calls.jsonl');
    const sent = new Response(form);
    return world.send({
      method: 'POST',
      url: '/v1/files',
      headers: { 'x-api-key': caller.key, 'content-type': sent.headers.get('content-type')! },
      payload: Buffer.from(await sent.arrayBuffer()),
    });
  };
  const upload = async (text: string): Promise<string> => {
    const { status, body } = await send(text);
    expect([status, body.error]).toEqual([200, undefined]);
    return body.id;
  };
  const create = async (file: string, more: object | string = {}) => {
    const order = { input_file_id: file, endpoint: ENDPOINT, completion_window: '24h' };
    const body =
      typeof more === 'string' ? `${JSON.stringify(order).slice(0, -1)},${more}}` : { ...order, ...more };
    return world.post('/v1/batches', body, { 'x-api-key': caller.key });
  };

  it.each([
    ['U+0000 in a value', '"metadata":{"a":"x\\u0000y"}'],
    ['U+0000 in a name', '"metadata":{"x\\u0000y":"a"}'],
    ['half a character in a value', '"metadata":{"a":"x\\ud800y"}'],
    ['half a character in a name', '"metadata":{"x\\udc00y":"a"}'],
    ['a control character', '"metadata":{"a":"\\u001b[31m"}'],
  ])('refuse metadata with %s', async (_, metadata) => {
    const { status, body } = await create(await upload(lineWith('1')), metadata);

    expect([status, body.error.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(body.error.param).toMatch(/^metadata/);
  });

  it('take metadata with any other character', async () => {
    const metadata = { '灯 💡': 'Zeile 1\nZeile 2\t– 💡' };
    const { status, body } = await create(await upload(lineWith('1')), { metadata });

    expect([status, body.metadata]).toEqual([200, metadata]);
  });

  it.each([
    [
      'millions of empty arrays',
      lineWith(`[${'[],'.repeat((11 * MEGABYTE) / 3)}[]]`),
      'more than 100000 values',
    ],
    ['millions of objects', lineWith(`[${'{},'.repeat((11 * MEGABYTE) / 3)}{}]`), 'more than 100000 values'],
    [
      'a hundred thousand levels',
      lineWith(`${'['.repeat(100_000)}${']'.repeat(100_000)}`),
      'nested deeper than 32',
    ],
    ['the key of a prototype', lineWith('{"__proto__":{"a":1}}'), '__proto__'],
    ['a key twice', lineWith('{"a":1,"a":2}'), 'twice'],
    ['U+0000 in its id', lineWith('1', '"a\\u0000"'), 'custom_id'],
  ])('refuse a line of %s, and take little time and memory', async (_, line, words) => {
    const file = await upload(line);
    const memory = process.memoryUsage().heapUsed;
    const started = process.cpuUsage();
    const { status, body } = await create(file);
    const { user } = process.cpuUsage(started);

    expect([status, body.error.code, body.error.param]).toEqual([400, 'INVALID_REQUEST', 'input_file_id']);
    expect(body.error.message).toContain(words);
    expect(user / 1e6).toBeLessThan(6);
    expect((process.memoryUsage().heapUsed - memory) / MEGABYTE).toBeLessThan(400);
  });

  it.each([
    ['text', lineWith(JSON.stringify('x'.repeat(48 * MEGABYTE)))],
    ['brackets', '['.repeat(48 * MEGABYTE)],
  ])('refuse a file with a line of 48 MB of %s', async (_, line) => {
    const { status, body } = await send(`\n${line}`);

    expect([status, body.error.param]).toEqual([400, 'file']);
    expect(body.error.message).toBe('Line 2 is longer than 32 MB.');
  });
});
