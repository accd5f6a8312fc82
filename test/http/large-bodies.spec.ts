import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';

import { UploadSlots } from '#platform/media/upload-slots';
import { Uploads } from '#platform/media/uploads';
import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';

const MEGABYTE = 1024 * 1024;
/** The service reserves memory with the first bytes; the rest of the body may come later. */
const BEGINNING = `{"label":"large","media":"data:image/png;base64,${'A'.repeat(2 * MEGABYTE)}`;

describe('large bodies', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lamppost-large-'));
  let world: World;
  let url: string;
  let key: string;

  beforeAll(async () => {
    world = await World.start({ DATA_DIR: dataDir });
    url = await world.listen();
    ({ key } = await KeyCaller.register(world, 1_000_000n));
    Reflect.set(world.app.get(Uploads, { strict: false }), 'slots', new UploadSlots(200));
  });
  afterAll(async () => {
    await world.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Files of unfinished bodies. The folder is made for the first one. */
  const incoming = (): readonly string[] =>
    readdirSync(dataDir).includes('incoming') ? readdirSync(join(dataDir, 'incoming')) : [];

  const begin = (): ClientRequest => {
    const call = request(`${url}/v1/agent/references`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
    });
    call.on('error', () => undefined);
    call.write(BEGINNING);
    return call;
  };
  const answerOf = async (call: ClientRequest) => {
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    const body = (await json(response)) as { error: { code: string } };
    return { status: response.statusCode, headers: response.headers, code: body.error.code };
  };

  it('are taken in two at a time; a third gets a Retry-After, and small ones pass', async () => {
    const [first, second] = [begin(), begin()];
    await expectEventually(() => incoming().length === 2);

    const third = begin();
    const refused = await answerOf(third);
    const small = await world.post('/v1/agent/references', { media: 'x' }, { 'x-api-key': key });

    expect([refused.status, refused.headers['retry-after'], refused.headers['x-should-retry']]).toEqual([
      503,
      '5',
      'true',
    ]);
    expect(small.status).toBe(400);

    first.end('"}');
    expect(await answerOf(first)).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA' });
    const fourth = begin();
    fourth.end('"}');
    expect(await answerOf(fourth)).toMatchObject({ status: 415 });
    second.destroy();
    third.destroy();
    await expectEventually(() => incoming().length === 0);
  });

  it('leave nothing behind when their callers hang up', async () => {
    const calls = [begin(), begin()];
    await expectEventually(() => incoming().length === 2);

    for (const call of calls) call.destroy();

    await expectEventually(() => incoming().length === 0);
    const next = begin();
    next.end('"}');
    expect((await answerOf(next)).status).toBe(415);
  });

  it('are refused beyond what their route takes, by the length that they announce', async () => {
    const announced = async (path: string, length: number) => {
      const call = request(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key, 'content-length': String(length) },
      });
      call.on('error', () => undefined);
      call.flushHeaders();
      const answer = await answerOf(call);
      call.destroy();
      return `${answer.status} ${answer.code}`;
    };

    expect(await announced('/v1/agent/references', 200 * MEGABYTE)).toBe('400 PAYLOAD_TOO_LARGE');
    expect(await announced('/v1/agent/generate', 200 * MEGABYTE)).toBe('413 PAYLOAD_TOO_LARGE');
  });
});
