import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

import type { OpenAPIObject } from '@nestjs/swagger';

import { tone, wavOf } from '#models/providers/sandbox/tone';
import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { sendRaw } from '../support/raw-http';
import { World } from '../support/world';

const BOUNDARY = 'edge';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

interface Part {
  readonly head: string;
  readonly content: string | Buffer;
}

const field = (name: string, content: string): Part => ({ head: `form-data; name="${name}"`, content });
const fileOf = (content: string | Buffer, name = 'file'): Part => ({
  head: `form-data; name="${name}"; filename="a.bin"`,
  content,
});

const formOf = (...parts: readonly Part[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ head, content }) => [
      Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: ${head}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]);

/** Parts that no honest client sends; each must be an answer below 500. */
const ODD_PARTS: readonly (readonly [string, Part])[] = [
  ['a file without a name', { head: 'form-data; filename="a.bin"', content: '{}' }],
  ['a field without a name', { head: 'form-data', content: 'x' }],
  ['a part that is no form-data', { head: 'attachment; name="file"', content: 'x' }],
  ['a name with a line break', { head: 'form-data; name="fi\nle"; filename="a"', content: 'x' }],
  ['an empty name', fileOf('x', '')],
  ['the name of a prototype', field('__proto__', 'x')],
  ['a file with the name of a prototype', fileOf('x', '__proto__')],
  ['U+0000 in a field', field('purpose', 'a\0b')],
  ['U+0000 in a name', field('a\0b', 'x')],
  ['a long name', field('n'.repeat(20_000), 'x')],
  ['a long header', { head: `form-data; name="a"; x="${'x'.repeat(100_000)}"`, content: 'x' }],
  ['half a character', { head: 'form-data; name="purpose"', content: Buffer.from([0xc3]) }],
];

describe('broken forms', () => {
  let world: World;
  let url: string;
  let paths: readonly string[];
  let caller: KeyCaller;
  let whole: Readonly<Record<string, Buffer>>;

  beforeAll(async () => {
    world = await World.start();
    url = await world.listen();
    caller = await KeyCaller.register(world, 2_000_000_000n);
    const addresses = ['/v1/agent/openapi.json', '/v1/account/openapi.json', '/v1/extensions/openapi.json'];
    const documents = await Promise.all(addresses.map(async (address) => (await world.get(address)).body));
    const isForm = (asked: unknown): boolean =>
      (asked as { content?: object } | undefined)?.content?.['multipart/form-data' as never] !== undefined;
    paths = (documents as OpenAPIObject[])
      .flatMap((document) => Object.entries(document.paths ?? {}))
      .filter(([, item]) => [item.post, item.put, item.patch].some((asked) => isForm(asked?.requestBody)))
      .map(([path]) => path);
    whole = {
      '/v1/agent/videos': formOf(
        field('model', 'torch-video'),
        field('prompt', 'waves'),
        field('seconds', '4'),
      ),
      '/v1/audio/transcriptions': formOf(
        field('language', 'en'),
        fileOf(wavOf(tone(0.01, 440)).subarray(0, 120)),
      ),
      '/v1/files': formOf(field('purpose', 'batch'), fileOf('{"custom_id":"a"}\n\n{"custom_id":"b"}')),
    };
  });

  afterEach(async () => {
    await world.expectBooksToBalance();
    await expectEventually(async () => (await spooled()).length === 0);
    expect((await world.get('/v1/agent/status')).status).toBe(200);
  });
  afterAll(() => world.stop());

  const spooled = (): Promise<string[]> =>
    readdir(join(world.settings.dataDir, 'forms')).catch(() => [] as string[]);

  const head = (path: string, length: number, more: Readonly<Record<string, string>>): string =>
    [
      `POST ${path} HTTP/1.1`,
      'host: 127.0.0.1',
      'connection: close',
      `content-type: ${TYPE}`,
      `content-length: ${length}`,
      ...Object.entries(more).map(([name, value]) => `${name}: ${value}`),
      '\r\n',
    ].join('\r\n');

  const faultOf = async (
    path: string,
    body: Buffer,
    headers: Readonly<Record<string, string>>,
  ): Promise<string | undefined> => {
    const { status } = await sendRaw(url, head(path, body.length, headers), body);
    return status >= 200 && status < 500 ? undefined : `${status} for ${path} with ${body.length} bytes`;
  };

  const callers = (): readonly Readonly<Record<string, string>>[] => [{}, { 'x-api-key': caller.key }];

  it('are sent to every route that reads a form', () => {
    expect([...new Set(paths)].sort()).toEqual(Object.keys(whole).sort());
  });

  it.each(['/v1/agent/videos', '/v1/audio/transcriptions', '/v1/files'])(
    'end at each byte, and harm nobody: %s',
    async (path) => {
      const file = formOf(field('purpose', 'batch'), fileOf('{"a":1}\n{"b":2}'), fileOf('x', 'other'));
      const faults: (string | undefined)[] = [];
      for (const headers of callers()) {
        for (const body of [whole[path]!, file]) {
          for (let end = 0; end < body.length; end += 1) {
            faults.push(await faultOf(path, body.subarray(0, end), headers));
          }
        }
      }
      expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
    },
  );

  it.each(ODD_PARTS)('answer below 500 for %s, whole or cut off', async (_, part) => {
    const faults: (string | undefined)[] = [];
    for (const path of paths) {
      for (const headers of callers()) {
        for (const parts of [
          [part],
          [field('purpose', 'batch'), part],
          [fileOf('{}'), part],
          [part, fileOf('{}')],
        ]) {
          const body = formOf(...parts);
          for (const end of [body.length, body.length - 3, body.length - 12, 60])
            faults.push(await faultOf(path, body.subarray(0, end), headers));
        }
      }
    }
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });

  it('are left by a caller who hangs up at each tenth byte', async () => {
    for (const path of paths) {
      for (const headers of callers()) {
        const body = whole[path]!;
        for (let end = 0; end < body.length; end += 10) {
          await leave(head(path, body.length, headers), body.subarray(0, end));
        }
      }
    }
    expect((await world.get('/v1/agent/status')).status).toBe(200);
  });

  /** Sends the beginning of a call, and closes the connection without an end. */
  const leave = async (...parts: readonly (string | Buffer)[]): Promise<void> => {
    const { port } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    for (const part of parts) await new Promise<void>((resolve) => void socket.write(part, () => resolve()));
    socket.resetAndDestroy();
  };
});
